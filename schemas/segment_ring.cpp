// segment_ring.cpp - reads a copy of the event ring: position, CRC, then the writer's intent
// (segment_page.hpp).
#include <cstring>
#include <utility>

#include "schemas/codec.hpp"
#include "schemas/crc32c.hpp"
#include "schemas/segment_layout.hpp"
#include "schemas/segment_page.hpp"

namespace plimsoll {
namespace {

constexpr std::uint64_t kMaxPosition = 1ULL << 62U;  // 146 years at 1 GiB/s: beyond is a lie
constexpr std::uint64_t kMaxRecordBytes = layout::record_bytes(layout::kEventMax);

bool is_position(std::uint64_t position) {
  return position % 8 == 0 && position <= kMaxPosition;
}

// What `tail_intent` may say of a ring: no record and pad is longer than two records.
bool are_sane(const RingMarks& marks) {
  return is_position(marks.tail) && is_position(marks.last_record) &&
         is_position(marks.tail_intent) && marks.last_record <= marks.tail;
}

class RingReader {
 public:
  RingReader(std::span<const std::byte> ring, const RingRead& read) : ring_(ring), read_(read) {
    news_.cursor = read.cursor;
  }

  RingNews run() {
    if (!layout::is_ring_size(ring_.size()) || !are_sane(read_.before) || !are_sane(read_.after) ||
        read_.before.tail > read_.after.tail || !is_position(read_.cursor) ||
        read_.cursor > read_.before.tail) {
      skip_to(is_position(read_.before.tail) ? read_.before.tail : 0, SegmentFault::ring_marks);
      return std::move(news_);
    }
    while (news_.cursor < read_.before.tail && step()) {
    }
    return std::move(news_);
  }

 private:
  // One pad or record. False: nothing more can be learned from this copy.
  bool step() {
    if (was_overwritten(news_.cursor)) return resync();
    const std::uint64_t offset = news_.cursor % ring_.size();
    const std::uint64_t room = ring_.size() - offset;
    layout::RecordHead head{layout::kPadLength, 0, news_.cursor};
    std::memcpy(&head.len, ring_.data() + offset, sizeof head.len);
    if (head.len == layout::kPadLength) return skip_pad(offset, room);
    if (room < layout::kRecordHeadBytes) return give_up();
    std::memcpy(&head, ring_.data() + offset, sizeof head);
    const bool shaped = head.len <= layout::kEventMax && layout::record_bytes(head.len) <= room &&
                        head.position == news_.cursor &&
                        news_.cursor + layout::record_bytes(head.len) <= read_.before.tail;
    if (!shaped) return give_up();
    const auto payload = ring_.subspan(offset + layout::kRecordHeadBytes, head.len);
    if (crc32c(payload, layout::seed_of(head.position)) != head.crc) return give_up();
    take(payload);
    news_.cursor += layout::record_bytes(head.len);
    return true;
  }

  void take(std::span<const std::byte> payload) {
    auto event = decode_event(payload);
    if (event)
      news_.events.push_back(std::move(*event));
    else
      news_.fault = SegmentFault::event_payload;
  }

  // The pad carries its position where 16 bytes are left for it, and ends the ring either way.
  bool skip_pad(std::uint64_t offset, std::uint64_t room) {
    std::uint64_t position = news_.cursor;
    if (room >= layout::kRecordHeadBytes)
      std::memcpy(&position, ring_.data() + offset + 8, sizeof position);
    if (position != news_.cursor || news_.cursor + room > read_.before.tail) return give_up();
    news_.cursor += room;
    return true;
  }

  // The writer announces the end of what it writes before it writes: anything a ring's length
  // behind that may have changed under the copy.
  [[nodiscard]] bool was_overwritten(std::uint64_t position) const {
    return read_.after.tail_intent > position && read_.after.tail_intent - position > ring_.size();
  }

  // Lapped: on at the newest record (never at the tail: the newest event would be lost too).
  bool resync() {
    const std::uint64_t newest = read_.before.last_record;
    if (newest > news_.cursor && !was_overwritten(newest)) {
      lose_until(newest);
      return true;
    }
    lose_until(read_.after.last_record);
    return false;
  }

  bool give_up() {
    skip_to(read_.before.tail, SegmentFault::event_payload);
    return false;
  }

  void skip_to(std::uint64_t position, SegmentFault fault) {
    lose_until(position);
    news_.cursor = position;
    news_.fault = fault;
  }

  void lose_until(std::uint64_t position) {
    if (position <= news_.cursor) return;
    const std::uint64_t bytes = position - news_.cursor;
    news_.lost_bytes += bytes;
    news_.lost_events += (bytes + kMaxRecordBytes - 1) / kMaxRecordBytes;
    news_.cursor = position;
  }

  std::span<const std::byte> ring_;
  RingRead read_;
  RingNews news_;
};

}  // namespace

std::uint64_t first_cursor(const RingMarks& marks, std::uint32_t ring_bytes) {
  return marks.tail_intent <= ring_bytes ? 0 : marks.last_record;
}

RingNews read_ring(std::span<const std::byte> ring, const RingRead& read) {
  return RingReader(ring, read).run();
}

}  // namespace plimsoll
