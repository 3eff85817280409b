// segment_writer.cpp - the stores, in their order. Every atomic says whom it pairs with.
#include "shim/segment_writer.hpp"

#include <atomic>
#include <cstring>

#include "schemas/crc32c.hpp"
#include "schemas/result.hpp"
#include "schemas/segment_layout.hpp"

namespace plimsoll {
namespace {

using Word = std::atomic_ref<std::uint64_t>;

constexpr std::size_t kHeartbeat = layout::kLiveOffset + offsetof(layout::Live, heartbeat);
constexpr std::size_t kLatest = layout::kLiveOffset + offsetof(layout::Live, latest);
constexpr std::size_t kTailIntent = layout::kMarksOffset + offsetof(layout::Marks, tail_intent);
constexpr std::size_t kTail = layout::kMarksOffset + offsetof(layout::Marks, tail);
constexpr std::size_t kLastRec = layout::kMarksOffset + offsetof(layout::Marks, last_rec);
constexpr std::size_t kDropped = layout::kMarksOffset + offsetof(layout::Marks, dropped_too_big);

Word word_at(std::byte* at) {
  return Word(*reinterpret_cast<std::uint64_t*>(at));
}

void store_relaxed(std::byte* at, std::uint64_t value) {
  word_at(at).store(
      value, std::memory_order_relaxed);  // relaxed: ordered by the fence or release around it
}

// Word by word, so that a reader's copy is no data race; a release store publishes them.
void put_words(std::byte* to, std::span<const std::byte> from) {
  std::size_t at = 0;
  for (; at + 8 <= from.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, from.data() + at, 8);
    store_relaxed(to + at, word);
  }
  if (at == from.size()) return;
  std::uint64_t last = 0;
  std::memcpy(&last, from.data() + at, from.size() - at);
  store_relaxed(to + at, last);
}

std::uint64_t len_and_crc(std::span<const std::byte> payload, std::uint32_t seed) {
  return static_cast<std::uint64_t>(crc32c(payload, seed)) << 32U | payload.size();
}

struct SlotWrite {
  std::uint64_t whole_ver;
  std::uint32_t seed;
};

void write_slot(std::byte* slot, std::span<const std::byte> payload, SlotWrite write) {
  store_relaxed(slot, write.whole_ver - 1);
  // release: no payload word may be seen before the odd version; pairs with the readers' acquire
  // fence.
  std::atomic_thread_fence(std::memory_order_release);
  put_words(slot + offsetof(layout::Slot, payload), payload);
  store_relaxed(slot + offsetof(layout::Slot, len), len_and_crc(payload, write.seed));
  // release: publishes payload, len and crc; pairs with the acquire of `ver` in a mapping reader.
  word_at(slot).store(write.whole_ver, std::memory_order_release);
}

}  // namespace

SegmentWriter::SegmentWriter(std::span<std::byte> segment)
    : base_(segment.data()), ring_bytes_(segment.size() - layout::kRingOffset) {
  PLIMSOLL_CHECK(segment.size() > layout::kRingOffset && layout::is_ring_size(ring_bytes_));
  PLIMSOLL_CHECK(reinterpret_cast<std::uintptr_t>(base_) % 8 == 0);
}

void SegmentWriter::write_value(std::span<const std::byte> payload) {
  PLIMSOLL_CHECK(payload.size() <= layout::Slot::kPayloadMax);
  const std::uint64_t seq = ++seq_;
  std::byte* slot = base_ + layout::kSlotOffset + seq % layout::kSlotCount * layout::kSlotStride;
  write_slot(slot, payload, {2 * seq, layout::seed_of(seq)});
  // release: whoever sees this seq sees its slot whole; pairs with the acquire of `latest`.
  word_at(base_ + kLatest).store(seq, std::memory_order_release);
  beat();
}

void SegmentWriter::beat() {
  store_relaxed(base_ + kHeartbeat, ++heartbeat_);
}

bool SegmentWriter::write_event(std::span<const std::byte> payload) {
  if (payload.size() > layout::kEventMax) {
    store_relaxed(base_ + kDropped, ++dropped_too_big_);
    return false;
  }
  const auto [start, pad] = place_for(layout::record_bytes(payload.size()));
  const std::uint64_t end = start + layout::record_bytes(payload.size());
  store_relaxed(base_ + kTailIntent, end);
  // release: no byte of the ring may change before the intent is seen; pairs with the reader's
  // second look at it.
  std::atomic_thread_fence(std::memory_order_release);
  if (pad > 0) write_pad(start - pad);
  std::byte* record = base_ + layout::kRingOffset + start % ring_bytes_;
  put_words(record + layout::kRecordHeadBytes, payload);
  store_relaxed(record, len_and_crc(payload, layout::seed_of(start)));
  store_relaxed(record + offsetof(layout::RecordHead, position), start);
  position_ = end;
  // release: publishes the record; pairs with the acquire of `tail`.
  word_at(base_ + kTail).store(end, std::memory_order_release);
  // After `tail`, never before: else a kill between them would hide the newest event from a lapped
  // reader. release: pairs with the acquire of `last_rec`.
  word_at(base_ + kLastRec).store(start, std::memory_order_release);
  return true;
}

SegmentWriter::Place SegmentWriter::place_for(std::uint64_t record_bytes) const {
  const std::uint64_t room = ring_bytes_ - position_ % ring_bytes_;
  const std::uint64_t pad = room < record_bytes ? room : 0;
  return {position_ + pad, pad};
}

// Eight bytes are always left (records are 8-aligned), the position only if sixteen are.
void SegmentWriter::write_pad(std::uint64_t position) {
  const std::uint64_t offset = position % ring_bytes_;
  std::byte* pad = base_ + layout::kRingOffset + offset;
  store_relaxed(pad, layout::kPadLength);
  if (ring_bytes_ - offset >= layout::kRecordHeadBytes)
    store_relaxed(pad + offsetof(layout::RecordHead, position), position);
}

void SegmentWriter::write_terminal(std::span<const std::byte> payload) {
  PLIMSOLL_CHECK(payload.size() <= layout::TerminalSlot::kPayloadMax);
  write_slot(base_ + layout::kTerminalOffset, payload,
             {layout::kTerminalWhole, layout::kSeedTerminal});
}

bool SegmentWriter::cancel_requested() const {
  auto* byte = reinterpret_cast<std::uint8_t*>(base_ + layout::kCancelOffset);
  const std::atomic_ref<std::uint8_t> cancel(*byte);
  return cancel.load(std::memory_order_relaxed) != 0;  // relaxed: nothing else hangs on the byte
}

}  // namespace plimsoll
