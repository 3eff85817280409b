// uplink_codec.hpp - uplink messages ↔ the table bytes of one frame (frame.hpp adds length and
// CRC). Pure.
#pragma once

#include <string>
#include <vector>

#include "schemas/codec.hpp"
#include "schemas/result.hpp"
#include "schemas/uplink_messages.hpp"

namespace plimsoll {

[[nodiscard]] std::string encode_uplink(const UplinkMessage& message);

// Hostile bytes: verified (depth 16, tables 8,192), exactly one member, every text bounded, at most
// kMaxReportsPerBatch reports; otherwise ErrorCode::corrupt.
[[nodiscard]] Result<UplinkMessage> decode_uplink(Bytes bytes);

// Upper bound of what `report` adds to a batch's bytes, so that a batch can be filled to
// kMaxBatchBytes.
[[nodiscard]] std::size_t encoded_size_bound(const Report& report);

// As many batches as `reports` need (at least one), each within kMaxReportsPerBatch and
// kMaxBatchBytes; `session` set, seq left 0, no full-state marks.
[[nodiscard]] std::vector<Batch> split_into_batches(std::uint64_t session,
                                                    std::vector<Report> reports);

}  // namespace plimsoll
