// segment_look.hpp - one look at one open segment: the lock, then the page, then the ring if it has
// news. pread only: what a mover truncates or rewrites meanwhile can be wrong, never fatal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "agent/core/attempt.hpp"
#include "schemas/result.hpp"
#include "schemas/segment_page.hpp"

namespace plimsoll {

// What is remembered between two looks at the same segment.
struct LookMemory {
  std::uint64_t file_bytes = 0;
  std::uint64_t seen_seq = 0;
  std::uint64_t cursor = 0;  // of the ring
  bool cursor_set = false;
  SegmentId segment;  // as the header said at first
};

struct Look {
  SegmentFault fault = SegmentFault::none;  // anything else: only reading.lock_held holds
  SegmentHeader header;
  Reading reading;
  bool ring_skipped = false;  // it had news, but the budget was spent
};

// Reads with one buffer that is used again and again.
class SegmentLooker {
 public:
  // `ring_budget_bytes` is what may still be copied of rings in this turn; it is reduced by what
  // was.
  [[nodiscard]] Result<Look> look(int fd, LookMemory& memory, std::size_t& ring_budget_bytes);

  // The page of identity, once per segment.
  [[nodiscard]] IdentityVerdict read_identity(int fd);

  // Everything the ring still holds, oldest first, without touching anybody's cursor.
  [[nodiscard]] std::vector<UploadEvent> read_history(int fd, std::uint64_t file_bytes);

 private:
  struct Ring {
    RingMarks marks;
    std::uint32_t bytes = 0;
    std::uint64_t cursor = 0;
  };
  [[nodiscard]] RingNews read_events(int fd, const Ring& ring);

  std::vector<std::byte> buffer_;
};

}  // namespace plimsoll
