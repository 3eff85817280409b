// segment_format.hpp - the bytes a segment is born with: header, flags, identity. Pure; nothing is
// shared yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "schemas/ids.hpp"

namespace plimsoll {

struct SegmentBirth {
  SegmentId segment;
  BootId boot;
  std::uint64_t start_boottime_ns = 0;
  std::uint64_t pidns_ino = 0;  // diagnostic
  std::uint32_t pid = 0;        // diagnostic
  bool made_by_run = false;
};

// How long a segment with a ring of `ring_bytes` is.
[[nodiscard]] std::size_t segment_bytes(std::size_t ring_bytes);

// `segment`: zeroed, 8-aligned, segment_bytes(a ring size) long. `identity`: an encoded Identity
// that fits.
void format_segment(std::span<std::byte> segment, const SegmentBirth& birth,
                    std::span<const std::byte> identity);

}  // namespace plimsoll
