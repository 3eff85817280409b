// frame.hpp - bytes on the uplink: u32 length, u32 CRC-32C of the table bytes, the table bytes.
// Pure.
//
//   0        4        8                8+length
//   ┌────────┬────────┬─────────────────┐   length 1…262,144, little-endian; 0 and more are
//   protocol errors │ length │ crc32c │ table bytes     │   crc: seed 0xFFFFFFFF over the table
//   bytes only └────────┴────────┴─────────────────┘
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schemas/result.hpp"

namespace plimsoll {

inline constexpr std::uint32_t kMaxFrameTableBytes = 262144;
inline constexpr std::size_t kFrameHeaderBytes = 8;

// Precondition: 1 ≤ table.size() ≤ kMaxFrameTableBytes.
[[nodiscard]] std::string frame(std::string_view table);

// Takes a byte stream in pieces of any size and gives whole, CRC-checked frames back, in order.
// Never holds more than one frame and what `push` was given last.
class FrameDecoder {
 public:
  void push(std::string_view bytes);

  // The next frame's table bytes; nothing yet; or ErrorCode::corrupt, after which the stream is
  // dead.
  [[nodiscard]] Result<std::optional<std::string>> next();

 private:
  std::string buffer_;
  std::size_t start_ = 0;
  bool dead_ = false;
};

}  // namespace plimsoll
