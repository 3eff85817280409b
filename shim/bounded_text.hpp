// bounded_text.hpp - a mover's free text, made valid UTF-8 within a bound, without allocating.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "schemas/text.hpp"

namespace plimsoll {

template <std::size_t MaxBytes>
class BoundedText {
 public:
  // Any bytes, any length; nullptr reads as "". Each byte that is no UTF-8 becomes U+FFFD; cut at a
  // character.
  void assign(const char* text) {
    length_ = 0;
    if (text == nullptr) return;
    append({text, strnlen(text, MaxBytes + 1)});
  }

  // `word`, or "word: text"; a text that begins with the word already is taken as it is.
  void assign_after(std::string_view word, const char* text) {
    BoundedText rest;
    rest.assign(text);
    length_ = 0;
    if (!rest.view().starts_with(word)) append(word);
    if (length_ > 0 && !rest.view().empty()) append(": ");
    append(rest.view());
  }

  void append(std::string_view text) {
    if (text.size() > MaxBytes - length_ || !is_valid_utf8(text)) return append_repaired(text);
    std::memcpy(buffer_.data() + length_, text.data(), text.size());
    length_ += text.size();
  }

  [[nodiscard]] std::string_view view() const { return {buffer_.data(), length_}; }

 private:
  static constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

  void append_repaired(std::string_view text) {
    while (!text.empty()) {
      const std::size_t taken = character_bytes(text);
      const std::string_view piece = taken == 0 ? kReplacement : text.substr(0, taken);
      if (length_ + piece.size() > MaxBytes) return;
      std::memcpy(buffer_.data() + length_, piece.data(), piece.size());
      length_ += piece.size();
      text.remove_prefix(taken == 0 ? 1 : taken);
    }
  }

  // Of the valid character at the start; 0 = there is none.
  static std::size_t character_bytes(std::string_view text) {
    for (std::size_t bytes = 1; bytes <= 4 && bytes <= text.size(); ++bytes)
      if (is_valid_utf8(text.substr(0, bytes))) return bytes;
    return 0;
  }

  std::array<char, MaxBytes> buffer_;  // beyond length_ nothing is ever read
  std::size_t length_ = 0;
};

}  // namespace plimsoll
