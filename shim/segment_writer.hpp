// segment_writer.hpp - puts values, events and the end into a segment; the code that runs inside
// every mover. Never blocks, allocates or enters the kernel, and reads nothing another process
// wrote but the cancel byte. A kill at any instruction leaves the last whole value readable
// (schemas/segment_layout.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace plimsoll {

// Values, events and the terminal record are independent: at most one thread at a time in each of
// {write_value, beat}, {write_event}, {write_terminal}; the caller sees to that.
class SegmentWriter {
 public:
  SegmentWriter() = default;  // writes nowhere; assign before use

  // `segment`: formatted, 8-aligned, outlives the writer. A segment has one writer in its life.
  explicit SegmentWriter(std::span<std::byte> segment);

  void write_value(std::span<const std::byte> payload);  // an encoded Sample, at most 496 bytes
  void beat();                                           // "still calling", with unchanged numbers

  // An encoded Event. More than 512 bytes: dropped, counted in the segment, false.
  bool write_event(std::span<const std::byte> payload);

  void write_terminal(
      std::span<const std::byte> payload);  // an encoded Terminal, ≤ 1,008 bytes; once

  [[nodiscard]] bool cancel_requested() const;  // any thread

 private:
  struct Place {
    std::uint64_t start;  // position of the record
    std::uint64_t pad;    // bytes before it that only end the ring
  };
  [[nodiscard]] Place place_for(std::uint64_t record_bytes) const;
  void write_pad(std::uint64_t position);

  std::byte* base_ = nullptr;
  std::uint64_t ring_bytes_ = 0;
  std::uint64_t seq_ = 0;
  std::uint64_t heartbeat_ = 0;
  std::uint64_t position_ = 0;
  std::uint64_t dropped_too_big_ = 0;
};

}  // namespace plimsoll
