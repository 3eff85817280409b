// segment_page.hpp - a segment's bytes, judged: pure, from a private copy, trusting nothing in it.
// The reader preads into its own buffer first; these functions take sizes from that copy only,
// compare every constant, check CRCs and flatbuffers, and hand out owned values. Nobody's pid comes
// out of here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/ids.hpp"
#include "schemas/result.hpp"
#include "schemas/upload_progress.hpp"

namespace plimsoll {

// Why a segment, or a piece of one, is refused. The words are a metric's label values: never
// rename.
enum class SegmentFault : std::uint8_t {
  none,
  short_read,         // fewer bytes than the layout needs: truncated by its owner
  magic,              // not a segment of ours
  unsupported_major,  // a layout this build does not know: no error of the upload
  header_layout,      // a constant, the ring's size or the file's size is wrong
  header_crc,
  identity_crc,      // wrong length or CRC
  identity_payload,  // does not verify, or a field is over its bound
  sample_payload,    // a slot with the right CRC that does not decode
  terminal_payload,  // the same for the terminal record
  event_payload,     // the same for an event, or a wrong length or CRC
  ring_marks,        // tail or last_rec cannot be
};

[[nodiscard]] std::string_view word(SegmentFault fault);

// An Error for people: corrupt or unsupported, naming `object` (already quoted and escaped).
[[nodiscard]] Error error_of(SegmentFault fault, std::string_view object);

// `<24 lower-case hex digits>.seg`; `.tmp` is the same name while a segment is being made.
[[nodiscard]] std::string segment_file_name(const SegmentId& segment);
[[nodiscard]] bool is_segment_file_name(std::string_view name);
[[nodiscard]] bool is_unfinished_file_name(std::string_view name);

struct SegmentHeader {
  SegmentId segment;  // this attempt's identity everywhere
  BootId boot;        // decides only for unlocked files in directories that are not tmpfs
  std::uint64_t start_boottime_ns = 0;
  std::uint32_t ring_bytes = 0;
  std::uint16_t minor = 0;
};

// Positions of the event ring: byte counts since the start, they never wrap.
struct RingMarks {
  std::uint64_t tail_intent = 0;
  std::uint64_t tail = 0;
  std::uint64_t last_record = 0;
  std::uint64_t dropped_too_big = 0;
};

enum class TerminalSlotState : std::uint8_t {
  absent,
  being_written,
  whole,
  unverified,  // says "whole" but CRC or length are wrong: torn by this very read, or corrupt if it
               // stays so
};

struct HotPage {
  SegmentHeader header;
  std::uint64_t heartbeat = 0;
  std::uint64_t latest = 0;  // informational: `seq` below is what was verified
  bool made_by_run = false;
  bool cancel_asked = false;
  std::uint64_t seq = 0;         // of `sample`; 0 = nothing newer than what was seen
  std::optional<Sample> sample;  // the newest whole one with seq > seen
  TerminalSlotState terminal_state = TerminalSlotState::absent;
  std::optional<Terminal> terminal;
  RingMarks marks;
  std::uint32_t torn_slots = 0;  // newer slots whose CRC did not fit: being written during the read
  SegmentFault payload_fault =
      SegmentFault::none;  // the newest sample or terminal verified but not decoded
};

struct PageVerdict {
  SegmentFault fault = SegmentFault::none;  // anything else: `page` is empty
  HotPage page;

  [[nodiscard]] bool ok() const { return fault == SegmentFault::none; }
};

struct PageContext {
  std::uint64_t file_bytes = 0;  // from fstat; the header must say the same
  std::uint64_t seen_seq = 0;    // the newest sequence already taken; 0 = none
};

// `page`: the first 4,096 bytes of the file (more is ignored).
[[nodiscard]] PageVerdict judge_page(std::span<const std::byte> page, const PageContext& context);

struct IdentityVerdict {
  SegmentFault fault = SegmentFault::none;
  Identity identity;

  [[nodiscard]] bool ok() const { return fault == SegmentFault::none; }
};

// `page`: 4,096 bytes of the file from 0x1000 on. Written before the segment got its name, never
// changed.
[[nodiscard]] IdentityVerdict judge_identity(std::span<const std::byte> page);

// `line`: 64 bytes of the file from 0x140 on, read again after the ring was copied. Short: all
// zero.
[[nodiscard]] RingMarks read_marks(std::span<const std::byte> line);

// Where a reader without memory begins: at the start while nothing was overwritten, else at the
// newest record.
[[nodiscard]] std::uint64_t first_cursor(const RingMarks& marks, std::uint32_t ring_bytes);

struct RingRead {
  RingMarks before;          // from the hot page, read before the copy
  RingMarks after;           // read after the copy
  std::uint64_t cursor = 0;  // position of the first byte not yet read
};

struct RingNews {
  std::vector<UploadEvent> events;  // oldest first; at most as many as the ring can hold
  std::uint64_t cursor = 0;         // for the next read
  std::uint64_t lost_bytes = 0;     // overwritten before they were read, or skipped as unreadable
  std::uint64_t lost_events = 0;    // at least so many events were in them
  SegmentFault fault = SegmentFault::none;  // the last one met; the rest of the ring was skipped
};

// `ring`: a copy of all ring_bytes from 0x2000 on; any other size reads as a fault.
[[nodiscard]] RingNews read_ring(std::span<const std::byte> ring, const RingRead& read);

}  // namespace plimsoll
