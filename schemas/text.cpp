// text.cpp - UTF-8 checks, cuts and escapes.
#include "schemas/text.hpp"

#include <cstdint>

namespace plimsoll {
namespace {

constexpr std::size_t kQuotedBytes = 120;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Decoded {
  std::uint32_t point = 0;
  std::size_t length = 0;  // 0 = not a valid character here
};

bool is_tail(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

Decoded decode_sequence(std::string_view text, std::size_t length, std::uint32_t first_bits,
                        std::uint32_t smallest) {
  if (text.size() < length) return {};
  std::uint32_t point = first_bits;
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_tail(text[i])) return {};
    point = (point << 6U) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
  if (point < smallest || surrogate || point > 0x10FFFF) return {};
  return {point, length};
}

Decoded decode_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return {first, 1};
  if (first < 0xC2) return {};
  if (first < 0xE0) return decode_sequence(text, 2, first & 0x1FU, 0x80);
  if (first < 0xF0) return decode_sequence(text, 3, first & 0x0FU, 0x800);
  if (first < 0xF5) return decode_sequence(text, 4, first & 0x07U, 0x10000);
  return {};
}

bool is_control(std::uint32_t point) {
  const bool c0_c1 = point < 0x20 || (point >= 0x7F && point <= 0x9F);
  const bool bidi = point == 0x061C || point == 0x200E || point == 0x200F ||
                    (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
  const bool line = point == 0x2028 || point == 0x2029;
  return c0_c1 || bidi || line;
}

std::string escaped(std::uint32_t point) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string digits;
  do {
    digits.insert(digits.begin(), kHex[point & 0xFU]);
    point >>= 4U;
  } while (point != 0);
  return "\\u{" + digits + "}";
}

}  // namespace

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto next = decode_character(text);
    if (next.length == 0) return false;
    text.remove_prefix(next.length);
  }
  return true;
}

std::string_view cut_utf8(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  std::size_t end = max_bytes;
  while (end > 0 && is_tail(text[end]))
    --end;
  return text.substr(0, end);
}

std::string clean_utf8(std::string_view text, std::size_t max_bytes) {
  std::string clean;
  while (!text.empty() && clean.size() <= max_bytes) {
    const auto next = decode_character(text);
    clean += next.length == 0 ? kReplacement : text.substr(0, next.length);
    text.remove_prefix(next.length == 0 ? 1 : next.length);
  }
  return std::string(cut_utf8(clean, max_bytes));
}

std::string escape_text(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const auto next = decode_character(text);
    if (next.length == 0) {
      safe += kReplacement;
      text.remove_prefix(1);
      continue;
    }
    if (is_control(next.point))
      safe += escaped(next.point);
    else
      safe += text.substr(0, next.length);
    text.remove_prefix(next.length);
  }
  return safe;
}

std::string quoted(std::string_view text) {
  const auto shown = cut_utf8(text, kQuotedBytes);
  return "'" + escape_text(shown) + (shown.size() < text.size() ? "…'" : "'");
}

}  // namespace plimsoll
