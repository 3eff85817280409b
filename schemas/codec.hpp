// codec.hpp - the four progress tables: flatbuffers bytes ↔ values. Verified, bounded, copied;
// pure. Encoding cuts free texts to their bounds; decoding refuses what is over them
// (ErrorCode::corrupt).
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "schemas/result.hpp"
#include "schemas/upload_progress.hpp"

namespace plimsoll {

using Bytes = std::span<const std::byte>;

[[nodiscard]] inline Bytes bytes_of_text(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

[[nodiscard]] std::string encode(const Identity& identity);
[[nodiscard]] std::string encode(const Sample& sample);
[[nodiscard]] std::string encode(const UploadEvent& event);
[[nodiscard]] std::string encode(const Terminal& terminal);

// `bytes` may be unaligned and hostile; they are copied before they are read.
[[nodiscard]] Result<Identity> decode_identity(Bytes bytes);
[[nodiscard]] Result<Sample> decode_sample(Bytes bytes);
[[nodiscard]] Result<UploadEvent> decode_event(Bytes bytes);
[[nodiscard]] Result<Terminal> decode_terminal(Bytes bytes);

}  // namespace plimsoll
