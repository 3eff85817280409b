// segment_layout.hpp - the bytes of a segment, major 1: shared by the shim that writes and whoever
// reads. Offsets are constants of the major version: a reader compares them, it never follows them.
// Only the ring's size varies. Little-endian, 8-byte words, naturally aligned. Prose and orderings:
// docs/formats/segment.md.
//
//   0x0000 ┌────────────────────────────────────────────┐ ─┐
//          │ header 256 B, CRC over 0x00..0x63          │  │ before publish only
//   0x0100 │ heartbeat  latest  flags                   │  │ producer
//   0x0140 │ tail_intent  tail  last_rec  dropped       │  │ producer
//   0x0180 │ cancel (1 byte)                            │  │ AGENT, nothing else is its to write
//   0x01C0 │ reserved, zero                             │  │ hot page: one pread of 4 KiB
//   0x0400 │ slot 0 │ slot 1 │ slot 2 │ slot 3          │  │ 512 B each, seq % 4
//   0x0C00 │ terminal slot 1,024 B                      │  │ once
//   0x1000 ├────────────────────────────────────────────┤ ─┘
//          │ identity: len, crc, payload                │    before publish only; read once
//   0x2000 ├────────────────────────────────────────────┤
//          │ event ring: records, overwritten oldest    │    4 KiB … 512 KiB, a power of two
//          │ first; position = bytes since the start    │
//          └────────────────────────────────────────────┘
//
// clang-format off
//   slot     │ u64 ver │ u32 len │ u32 crc │ payload │    ver: 2·seq whole, 2·seq-1 being written
//   record   │ u32 len │ u32 crc │ u64 position │ payload │ zeros to a multiple of 8 │
//   pad word │ FF FF FF FF │ 00 00 00 00 │ u64 position │    the next record begins at offset 0
// clang-format on
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace plimsoll::layout {

static_assert(std::endian::native == std::endian::little, "the segment is little-endian");
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(std::atomic<std::uint8_t>::is_always_lock_free);

inline constexpr std::array<std::uint8_t, 8> kMagic = {'P', 'L', 'I', 'M', 'S', 'H', 'M', 1};
inline constexpr std::uint16_t kMajor = 1;
inline constexpr std::uint16_t kMinor = 0;
inline constexpr std::uint32_t kFbsId =
    0x314D4C50;  // "PLM1", the file identifier of all four tables

inline constexpr std::size_t kHotPageBytes = 0x1000;
inline constexpr std::size_t kHeaderBytes = 0x100;
inline constexpr std::size_t kHeaderCrcBytes = 0x64;  // what the header's CRC covers
inline constexpr std::size_t kLiveOffset = 0x100;
inline constexpr std::size_t kMarksOffset = 0x140;
inline constexpr std::size_t kCancelOffset = 0x180;
inline constexpr std::size_t kSlotOffset = 0x400;
inline constexpr std::size_t kSlotStride = 512;
inline constexpr std::size_t kSlotCount =
    4;  // three whole values survive a kill in the middle of a fourth
inline constexpr std::size_t kTerminalOffset = 0xC00;
inline constexpr std::size_t kTerminalBytes = 1024;
inline constexpr std::size_t kIdentityOffset = 0x1000;
inline constexpr std::size_t kIdentityBytes = 0x1000;
inline constexpr std::size_t kRingOffset = 0x2000;
inline constexpr std::size_t kEventMax = 512;  // payload bytes of one event
inline constexpr std::size_t kRecordHeadBytes = 16;

inline constexpr std::size_t kMinRingBytes = 4096;
inline constexpr std::size_t kMaxRingBytes = 524288;
inline constexpr std::size_t kDefaultRingBytes = 8192;
inline constexpr std::size_t kMinFileBytes = kRingOffset + kMinRingBytes;
inline constexpr std::size_t kMaxFileBytes =
    1U << 20U;  // a reader refuses more before it reads a byte

inline constexpr std::uint64_t kFlagRun = 1;        // the producer is the wrapper command
inline constexpr std::uint64_t kTerminalWhole = 2;  // `ver` of the terminal slot
inline constexpr std::uint64_t kTerminalBeingWritten = 1;
inline constexpr std::uint32_t kPadLength = 0xFFFFFFFF;

inline constexpr std::uint32_t kSeedStandard = 0xFFFFFFFF;  // CRC seed of header and identity
inline constexpr std::uint32_t kSeedTerminal = 1;
constexpr std::uint32_t seed_of(std::uint64_t seq_or_position) {  // of a slot or an event
  return static_cast<std::uint32_t>(seq_or_position);
}

constexpr bool is_ring_size(std::uint64_t bytes) {
  return bytes >= kMinRingBytes && bytes <= kMaxRingBytes && std::has_single_bit(bytes);
}

struct Header {
  std::array<std::uint8_t, 8> magic;
  std::uint16_t major;
  std::uint16_t minor;
  std::uint32_t header_size;
  std::uint32_t total_size;  // the file's size, exactly
  std::uint32_t ring_off;
  std::uint32_t ring_size;
  std::uint32_t slot_off;
  std::uint32_t slot_stride;
  std::uint32_t slot_count;
  std::uint32_t event_max;
  std::uint32_t fbs_id;
  std::array<std::uint8_t, 16> boot_id;
  std::uint64_t start_boottime_ns;  // orders the segments of one directory, nothing else
  std::uint64_t pidns_ino;          // diagnostic
  std::uint32_t pid;                // diagnostic: never used, not for liveness and not for signals
  std::array<std::uint8_t, 16> session;
  std::uint32_t crc;
  std::array<std::uint8_t, 152> reserved;
};
static_assert(sizeof(Header) == kHeaderBytes && std::is_trivially_copyable_v<Header>);
static_assert(offsetof(Header, major) == 0x08 && offsetof(Header, header_size) == 0x0C);
static_assert(offsetof(Header, total_size) == 0x10 && offsetof(Header, ring_off) == 0x14);
static_assert(offsetof(Header, slot_off) == 0x1C && offsetof(Header, event_max) == 0x28);
static_assert(offsetof(Header, fbs_id) == 0x2C && offsetof(Header, boot_id) == 0x30);
static_assert(offsetof(Header, start_boottime_ns) == 0x40 && offsetof(Header, pidns_ino) == 0x48);
static_assert(offsetof(Header, pid) == 0x50 && offsetof(Header, session) == 0x54);
static_assert(offsetof(Header, crc) == kHeaderCrcBytes);

struct Live {
  std::uint64_t heartbeat;  // a counter: bumped by every call of the library
  std::uint64_t latest;     // seq of the newest whole value; 0 = none yet
  std::uint64_t flags;
  std::array<std::uint64_t, 5> reserved;
};
static_assert(sizeof(Live) == 64 && offsetof(Live, latest) == 8 && offsetof(Live, flags) == 16);

struct Marks {
  std::uint64_t tail_intent;  // end of the newest record, also while it is being written
  std::uint64_t tail;         // end of the newest whole record
  std::uint64_t last_rec;     // start of the newest whole record
  std::uint64_t dropped_too_big;
  std::array<std::uint64_t, 4> reserved;
};
static_assert(sizeof(Marks) == 64 && offsetof(Marks, tail) == 8 && offsetof(Marks, last_rec) == 16);
static_assert(offsetof(Marks, dropped_too_big) == 24);

template <std::size_t Bytes>
struct SlotOf {
  static constexpr std::size_t kPayloadMax = Bytes - 16;
  std::uint64_t ver;
  std::uint32_t len;
  std::uint32_t crc;
  std::array<std::uint8_t, kPayloadMax> payload;
};
using Slot = SlotOf<kSlotStride>;
using TerminalSlot = SlotOf<kTerminalBytes>;
static_assert(sizeof(Slot) == 512 && Slot::kPayloadMax == 496 && offsetof(Slot, payload) == 16);
static_assert(sizeof(TerminalSlot) == 1024 && TerminalSlot::kPayloadMax == 1008);

struct IdentityPage {
  static constexpr std::size_t kPayloadMax = kIdentityBytes - 8;
  std::uint32_t len;
  std::uint32_t crc;
  std::array<std::uint8_t, kPayloadMax> payload;
};
static_assert(sizeof(IdentityPage) == kIdentityBytes && IdentityPage::kPayloadMax == 4088);

struct RecordHead {
  std::uint32_t len;  // payload bytes, or kPadLength
  std::uint32_t crc;
  std::uint64_t position;
};
static_assert(sizeof(RecordHead) == kRecordHeadBytes && offsetof(RecordHead, position) == 8);

constexpr std::uint64_t record_bytes(std::uint64_t payload_bytes) {
  return (kRecordHeadBytes + payload_bytes + 7) & ~std::uint64_t{7};
}
static_assert(kMinRingBytes >= 4 * (kEventMax + kRecordHeadBytes));

// The hot page and the page of identity as one picture; the ring follows.
struct Pages {
  Header header;
  Live live;
  Marks marks;
  std::uint8_t cancel;
  std::array<std::uint8_t, 0x27F> reserved;
  std::array<Slot, kSlotCount> slots;
  TerminalSlot terminal;
  IdentityPage identity;
};
static_assert(offsetof(Pages, live) == kLiveOffset && offsetof(Pages, marks) == kMarksOffset);
static_assert(offsetof(Pages, cancel) == kCancelOffset && offsetof(Pages, slots) == kSlotOffset);
static_assert(offsetof(Pages, terminal) == kTerminalOffset);
static_assert(offsetof(Pages, identity) == kIdentityOffset && sizeof(Pages) == kRingOffset);

}  // namespace plimsoll::layout
