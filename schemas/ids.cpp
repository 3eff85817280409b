// ids.cpp - 128-bit ids as hex text.
#include "schemas/ids.hpp"

namespace plimsoll::detail {
namespace {

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool parse_half(std::string_view text, std::uint64_t& half) {
  half = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    const int high = digit_value(text[2 * i]);
    const int low = digit_value(text[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    half |= static_cast<std::uint64_t>(high * 16 + low) << (8 * i);
  }
  return true;
}

}  // namespace

std::string hex_of(std::uint64_t lo, std::uint64_t hi) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  text.reserve(32);
  for (const std::uint64_t half : {lo, hi}) {
    for (std::size_t i = 0; i < 8; ++i) {
      const auto byte = static_cast<std::uint8_t>(half >> (8 * i));
      text += kHex[byte >> 4U];
      text += kHex[byte & 0xFU];
    }
  }
  return text;
}

bool parse_hex(std::string_view text, std::uint64_t& lo, std::uint64_t& hi) {
  return text.size() == 32 && parse_half(text.substr(0, 16), lo) && parse_half(text.substr(16), hi);
}

}  // namespace plimsoll::detail
