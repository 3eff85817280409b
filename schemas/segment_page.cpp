// segment_page.cpp - judges header, slots, terminal record and identity of a private copy.
#include "schemas/segment_page.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "schemas/codec.hpp"
#include "schemas/crc32c.hpp"
#include "schemas/segment_layout.hpp"

namespace plimsoll {
namespace {

constexpr std::size_t kNameDigits = 24;

template <typename T>
T take_at(std::span<const std::byte> bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <typename T>
std::span<const std::byte> covered(const T& object, std::size_t bytes) {
  return std::as_bytes(std::span(&object, 1)).first(bytes);
}

template <typename Slot>
bool fits_crc(const Slot& slot, std::uint32_t seed) {
  if (slot.len > Slot::kPayloadMax) return false;
  return crc32c(std::as_bytes(std::span(slot.payload)).first(slot.len), seed) == slot.crc;
}

template <typename Slot>
std::span<const std::byte> payload_of(const Slot& slot) {
  return std::as_bytes(std::span(slot.payload)).first(slot.len);
}

SegmentFault fault_of_header(const layout::Header& header, std::uint64_t file_bytes) {
  if (header.magic != layout::kMagic) return SegmentFault::magic;
  if (header.major != layout::kMajor) return SegmentFault::unsupported_major;
  if (crc32c(covered(header, layout::kHeaderCrcBytes), layout::kSeedStandard) != header.crc)
    return SegmentFault::header_crc;
  const bool constants =
      header.header_size == layout::kRingOffset && header.ring_off == layout::kRingOffset &&
      header.slot_off == layout::kSlotOffset && header.slot_stride == layout::kSlotStride &&
      header.slot_count == layout::kSlotCount && header.event_max == layout::kEventMax &&
      header.fbs_id == layout::kFbsId;
  const bool sizes = layout::is_ring_size(header.ring_size) &&
                     header.total_size == layout::kRingOffset + header.ring_size &&
                     header.total_size == file_bytes;
  return constants && sizes ? SegmentFault::none : SegmentFault::header_layout;
}

SegmentHeader header_of(const layout::Header& header) {
  return {id_from_bytes<SegmentId>(header.session), id_from_bytes<BootId>(header.boot_id),
          header.start_boottime_ns, header.ring_size, header.minor};
}

layout::Slot slot_of(std::span<const std::byte> page, std::uint64_t seq) {
  return take_at<layout::Slot>(
      page, layout::kSlotOffset + seq % layout::kSlotCount * layout::kSlotStride);
}

// The largest sequence between `seen` and `below` of a slot that says "whole" and lies where that
// sequence belongs; 0 = none.
std::uint64_t newest_seq(std::span<const std::byte> page, std::uint64_t seen, std::uint64_t below) {
  std::uint64_t newest = 0;
  for (std::size_t i = 0; i < layout::kSlotCount; ++i) {
    const auto ver = take_at<std::uint64_t>(page, layout::kSlotOffset + i * layout::kSlotStride);
    const std::uint64_t seq = ver / 2;
    const bool whole = ver % 2 == 0 && seq % layout::kSlotCount == i;
    if (whole && seq > seen && seq < below) newest = std::max(newest, seq);
  }
  return newest;
}

// The order of bytes inside a pread is not promised: so the CRC, seeded by the sequence, decides. A
// slot that fails it is only "being written"; the next older one may still be news.
void take_newest_sample(std::span<const std::byte> page, std::uint64_t seen_seq, HotPage& hot) {
  std::uint64_t seq = std::numeric_limits<std::uint64_t>::max();
  while ((seq = newest_seq(page, seen_seq, seq)) != 0) {
    const auto slot = slot_of(page, seq);
    if (!fits_crc(slot, layout::seed_of(seq))) {
      ++hot.torn_slots;
      continue;
    }
    auto sample = decode_sample(payload_of(slot));
    if (sample) {
      hot.seq = seq;
      hot.sample = std::move(*sample);
      return;
    }
    hot.payload_fault = SegmentFault::sample_payload;
  }
}

void take_terminal(std::span<const std::byte> page, HotPage& hot) {
  const auto ver = take_at<std::uint64_t>(page, layout::kTerminalOffset);
  if (ver == 0) return;
  hot.terminal_state = TerminalSlotState::being_written;
  if (ver == layout::kTerminalBeingWritten) return;
  hot.terminal_state = TerminalSlotState::unverified;
  const auto slot = take_at<layout::TerminalSlot>(page, layout::kTerminalOffset);
  if (ver != layout::kTerminalWhole || !fits_crc(slot, layout::kSeedTerminal)) return;
  auto terminal = decode_terminal(payload_of(slot));
  if (!terminal) {
    hot.payload_fault = SegmentFault::terminal_payload;
    return;
  }
  hot.terminal_state = TerminalSlotState::whole;
  hot.terminal = std::move(*terminal);
}

bool is_name(std::string_view name, std::string_view suffix) {
  if (name.size() != kNameDigits + suffix.size() || !name.ends_with(suffix)) return false;
  const auto digits = name.substr(0, kNameDigits);
  return std::all_of(digits.begin(), digits.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

std::string_view word(SegmentFault fault) {
  switch (fault) {
    case SegmentFault::none:
      return "none";
    case SegmentFault::short_read:
      return "short_read";
    case SegmentFault::magic:
      return "magic";
    case SegmentFault::unsupported_major:
      return "unsupported_major";
    case SegmentFault::header_layout:
      return "header_layout";
    case SegmentFault::header_crc:
      return "header_crc";
    case SegmentFault::identity_crc:
      return "identity_crc";
    case SegmentFault::identity_payload:
      return "identity_payload";
    case SegmentFault::sample_payload:
      return "sample_payload";
    case SegmentFault::terminal_payload:
      return "terminal_payload";
    case SegmentFault::event_payload:
      return "event_payload";
    case SegmentFault::ring_marks:
      return "ring_marks";
  }
  return "unknown";
}

Error error_of(SegmentFault fault, std::string_view object) {
  const std::string place = "read segment " + std::string(object) + ": ";
  if (fault == SegmentFault::unsupported_major)
    return {ErrorCode::unsupported, place + "a layout this version does not know",
            "bring agent and movers to the same major version", ""};
  return {ErrorCode::corrupt, place + "corrupt (" + std::string(word(fault)) + ")",
          "its mover overwrote or truncated it, or another program wrote there", ""};
}

std::string segment_file_name(const SegmentId& segment) {
  return to_hex(segment).substr(0, kNameDigits) + ".seg";
}

bool is_segment_file_name(std::string_view name) {
  return is_name(name, ".seg");
}

bool is_unfinished_file_name(std::string_view name) {
  return is_name(name, ".tmp");
}

PageVerdict judge_page(std::span<const std::byte> page, const PageContext& context) {
  if (page.size() < layout::kHotPageBytes) return {SegmentFault::short_read, {}};
  const auto header = take_at<layout::Header>(page, 0);
  PageVerdict verdict{fault_of_header(header, context.file_bytes), {}};
  if (!verdict.ok()) return verdict;
  HotPage& hot = verdict.page;
  hot.header = header_of(header);
  const auto live = take_at<layout::Live>(page, layout::kLiveOffset);
  hot.heartbeat = live.heartbeat;
  hot.latest = live.latest;
  hot.made_by_run = (live.flags & layout::kFlagRun) != 0;
  hot.cancel_asked = page[layout::kCancelOffset] != std::byte{0};
  hot.marks = read_marks(page.subspan(layout::kMarksOffset));
  take_newest_sample(page, context.seen_seq, hot);
  take_terminal(page, hot);
  return verdict;
}

IdentityVerdict judge_identity(std::span<const std::byte> page) {
  if (page.size() < layout::kIdentityBytes) return {SegmentFault::short_read, {}};
  const auto len = take_at<std::uint32_t>(page, offsetof(layout::IdentityPage, len));
  const auto crc = take_at<std::uint32_t>(page, offsetof(layout::IdentityPage, crc));
  if (len > layout::IdentityPage::kPayloadMax) return {SegmentFault::identity_crc, {}};
  const auto payload = page.subspan(offsetof(layout::IdentityPage, payload), len);
  if (crc32c(payload, layout::kSeedStandard) != crc) return {SegmentFault::identity_crc, {}};
  auto identity = decode_identity(payload);
  if (!identity) return {SegmentFault::identity_payload, {}};
  return {SegmentFault::none, std::move(*identity)};
}

RingMarks read_marks(std::span<const std::byte> line) {
  if (line.size() < sizeof(layout::Marks)) return {};
  const auto marks = take_at<layout::Marks>(line, 0);
  return {marks.tail_intent, marks.tail, marks.last_rec, marks.dropped_too_big};
}

}  // namespace plimsoll
