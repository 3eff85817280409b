// hand_made_segment.hpp - a segment built field by field, without the shim: what the reader's tests
// read.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "schemas/codec.hpp"
#include "schemas/crc32c.hpp"
#include "schemas/segment_layout.hpp"

namespace plimsoll::test {

class HandMadeSegment {
 public:
  explicit HandMadeSegment(std::size_t ring_bytes = layout::kMinRingBytes)
      : bytes_(layout::kRingOffset + ring_bytes) {
    layout::Header header{};
    header.magic = layout::kMagic;
    header.major = 1;
    header.header_size = 0x2000;
    header.total_size = static_cast<std::uint32_t>(bytes_.size());
    header.ring_off = 0x2000;
    header.ring_size = static_cast<std::uint32_t>(ring_bytes);
    header.slot_off = 0x400;
    header.slot_stride = 512;
    header.slot_count = 4;
    header.event_max = 512;
    header.fbs_id = layout::kFbsId;
    header.session = {0x5E, 0xED};
    header.boot_id = {0xB0, 0x07};
    header.start_boottime_ns = 77;
    set_header(header);
    Identity identity;
    identity.backup = "nightly";
    set_identity(encode(identity));
  }

  [[nodiscard]] layout::Header header() const {
    layout::Header header{};
    std::memcpy(&header, bytes_.data(), sizeof header);
    return header;
  }
  void set_header(layout::Header header, bool with_crc = true) {
    if (with_crc)
      header.crc = crc32c(std::as_bytes(std::span(&header, 1)).first(layout::kHeaderCrcBytes));
    put(0, header);
  }

  void set_identity(const std::string& payload) {
    put(0x1000, static_cast<std::uint32_t>(payload.size()));
    put(0x1004, crc32c(bytes_of_text(payload)));
    put_text(0x1008, payload);
  }

  // A whole slot with the right CRC, at the place of its sequence.
  std::size_t set_slot(std::uint64_t seq, const std::string& payload) {
    const std::size_t at = 0x400 + seq % 4 * 512;
    put(at, 2 * seq);
    put(at + 8, static_cast<std::uint32_t>(payload.size()));
    put(at + 12, crc32c(bytes_of_text(payload), static_cast<std::uint32_t>(seq)));
    put_text(at + 16, payload);
    put(0x108, seq);
    return at;
  }

  void set_terminal(const std::string& payload, std::uint64_t ver = 2) {
    put(0xC00, ver);
    put(0xC08, static_cast<std::uint32_t>(payload.size()));
    put(0xC0C, crc32c(bytes_of_text(payload), 1));
    put_text(0xC10, payload);
  }

  // A whole record at `position`; marks are the caller's.
  void set_record(std::uint64_t position, const std::string& payload) {
    const std::size_t at = 0x2000 + position % ring_bytes();
    put(at, static_cast<std::uint32_t>(payload.size()));
    put(at + 4, crc32c(bytes_of_text(payload), static_cast<std::uint32_t>(position)));
    put(at + 8, position);
    put_text(at + 16, payload);
  }

  template <typename T>
  void put(std::size_t offset, const T& value) {
    std::memcpy(bytes_.data() + offset, &value, sizeof value);
  }
  void put_text(std::size_t offset, const std::string& text) {
    std::memcpy(bytes_.data() + offset, text.data(), text.size());
  }

  [[nodiscard]] std::size_t ring_bytes() const { return bytes_.size() - 0x2000; }
  [[nodiscard]] std::vector<std::byte>& bytes() { return bytes_; }
  [[nodiscard]] std::span<const std::byte> page() const { return view().first(0x1000); }
  [[nodiscard]] std::span<const std::byte> identity() const {
    return view().subspan(0x1000, 0x1000);
  }
  [[nodiscard]] std::span<const std::byte> ring() const { return view().subspan(0x2000); }

 private:
  [[nodiscard]] std::span<const std::byte> view() const { return bytes_; }

  std::vector<std::byte> bytes_;
};

}  // namespace plimsoll::test
