// text.hpp - text from outside made safe: checked, cut at a character, escaped for logs and
// terminals. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plimsoll {

// Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
[[nodiscard]] bool is_valid_utf8(std::string_view text);

// The longest prefix of at most `max_bytes` bytes that ends at a character.
[[nodiscard]] std::string_view cut_utf8(std::string_view text, std::size_t max_bytes);

// Every byte that is no valid UTF-8 becomes U+FFFD; then cut to `max_bytes`.
[[nodiscard]] std::string clean_utf8(std::string_view text, std::size_t max_bytes);

// Valid UTF-8 in which C0, DEL, C1 and bidirectional controls read as \u{..}: one line, safe on a
// terminal. Idempotent on its own output.
[[nodiscard]] std::string escape_text(std::string_view text);

// escape_text of the first 120 bytes, in single quotes, for error messages: 'name'.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace plimsoll
