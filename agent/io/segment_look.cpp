// segment_look.cpp - preads into a private buffer and lets schemas/segment_page judge it.
#include "agent/io/segment_look.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <utility>

#include "agent/io/liveness.hpp"
#include "runtime/errno_error.hpp"
#include "schemas/segment_layout.hpp"

namespace plimsoll {
namespace {

// Up to `into.size()` bytes; fewer at the end of the file.
Result<std::size_t> pread_all(int fd, std::span<std::byte> into, std::size_t offset) {
  std::size_t done = 0;
  while (done < into.size()) {
    const auto got =
        ::pread(fd, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno_failure("read a segment", errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

using PageBuffer = std::array<std::byte, layout::kHotPageBytes>;

std::span<const std::byte> filled(const PageBuffer& page, std::size_t bytes) {
  return std::span<const std::byte>(page).first(bytes);
}

}  // namespace

RingNews SegmentLooker::read_events(int fd, const Ring& ring) {
  buffer_.resize(ring.bytes);
  const auto got = pread_all(fd, buffer_, layout::kRingOffset);
  std::array<std::byte, sizeof(layout::Marks)> line{};
  const auto again = pread_all(fd, line, layout::kMarksOffset);
  if (!got || !again || *got != ring.bytes || *again != line.size()) {
    RingNews nothing;
    nothing.cursor = ring.cursor;
    nothing.fault = SegmentFault::short_read;
    return nothing;
  }
  return read_ring(buffer_, RingRead{ring.marks, read_marks(line), ring.cursor});
}

Result<Look> SegmentLooker::look(int fd, LookMemory& memory, std::size_t& ring_budget_bytes) {
  const auto held =
      is_lock_held(fd);  // first: "free" then means that nobody writes the page any more
  if (!held) return fail(held.error());
  Look look;
  look.reading.lock_held = *held;
  PageBuffer page{};
  const auto got = pread_all(fd, page, 0);
  if (!got) return fail(got.error());
  auto verdict = judge_page(filled(page, *got), {memory.file_bytes, memory.seen_seq});
  if (verdict.ok() && !memory.segment.is_zero() && verdict.page.header.segment != memory.segment)
    verdict.fault = SegmentFault::header_layout;  // a segment never changes its name
  look.fault = verdict.fault;
  if (!verdict.ok()) return look;

  auto& hot = verdict.page;
  look.header = hot.header;
  look.reading.cancel_asked = hot.cancel_asked;
  look.reading.heartbeat = hot.heartbeat;
  look.reading.payload_fault = hot.payload_fault != SegmentFault::none;
  look.reading.terminal = std::move(hot.terminal);
  if (hot.sample) {
    look.reading.seq = memory.seen_seq = hot.seq;
    look.reading.sample = std::move(hot.sample);
  }
  if (!std::exchange(memory.cursor_set, true))
    memory.cursor = first_cursor(hot.marks, hot.header.ring_bytes);
  if (hot.marks.tail == memory.cursor) return look;
  look.ring_skipped = ring_budget_bytes < hot.header.ring_bytes;
  if (look.ring_skipped) return look;
  ring_budget_bytes -= hot.header.ring_bytes;
  auto news = read_events(fd, {hot.marks, hot.header.ring_bytes, memory.cursor});
  memory.cursor = news.cursor;
  look.reading.events = std::move(news.events);
  look.reading.events_lost = news.lost_events;
  look.reading.payload_fault = look.reading.payload_fault || news.fault != SegmentFault::none;
  return look;
}

IdentityVerdict SegmentLooker::read_identity(int fd) {
  PageBuffer page{};
  const auto got = pread_all(fd, page, layout::kIdentityOffset);
  if (!got) return {SegmentFault::short_read, {}};
  return judge_identity(filled(page, *got));
}

std::vector<UploadEvent> SegmentLooker::read_history(int fd, std::uint64_t file_bytes) {
  PageBuffer page{};
  const auto got = pread_all(fd, page, 0);
  if (!got) return {};
  const auto verdict = judge_page(filled(page, *got), {file_bytes, 0});
  if (!verdict.ok()) return {};
  const auto ring_bytes = verdict.page.header.ring_bytes;
  const auto cursor = first_cursor(verdict.page.marks, ring_bytes);
  return read_events(fd, {verdict.page.marks, ring_bytes, cursor}).events;
}

}  // namespace plimsoll
