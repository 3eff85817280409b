// crc32c.hpp - CRC-32C (Castagnoli, reflected 0x82F63B78), by the processor where it can. Pure, any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace plimsoll {

// The register starts at `seed`, the result is its complement. The default seed gives the standard
// CRC; the segment seeds with a sequence number or a position, so that old bytes never pass for new
// ones.
[[nodiscard]] std::uint32_t crc32c(std::span<const std::byte> bytes,
                                   std::uint32_t seed = 0xFFFFFFFF);

// The same by table, on every processor: what crc32c falls back to.
[[nodiscard]] std::uint32_t crc32c_by_table(std::span<const std::byte> bytes,
                                            std::uint32_t seed = 0xFFFFFFFF);

}  // namespace plimsoll
