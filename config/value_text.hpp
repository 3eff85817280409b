// value_text.hpp - how single values are spelled in configuration: durations, numbers, paths,
// names. Pure. A problem is a text that says what is wrong and what to write instead; "" = none.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace plimsoll {

template <typename T>
using Parsed = tl::expected<T, std::string>;  // the value, or the problem

// "500ms", "1s", "2m", "1h", "7d", or a bare "0".
[[nodiscard]] Parsed<std::chrono::milliseconds> parse_duration(std::string_view text);
// With the largest unit that divides it: 120,000 ms is "2m"; 0 is "0".
[[nodiscard]] std::string format_duration(std::chrono::milliseconds value);

// Decimal digits only, no sign, no leading zero.
[[nodiscard]] Parsed<std::uint64_t> parse_number(std::string_view text);

inline constexpr std::size_t kMaxSocketPathBytes = 107;  // sun_path without its NUL

// What a text may be. `off_word` is how the empty value is written, if it has a word of its own.
struct TextRule {
  std::string_view range;  // for messages and documentation
  std::string (*problem)(std::string_view text);
  std::string_view off_word = "";
};

extern const TextRule kPathText;        // absolute
extern const TextRule kPathOrOffText;   // absolute, or off
extern const TextRule kSocketPathText;  // absolute, at most 107 bytes
extern const TextRule kSocketPathOrNoneText;
extern const TextRule kNodeText;  // may be empty
extern const TextRule kNameText;
extern const TextRule kGroupText;
extern const TextRule kGroupOrEmptyText;
extern const TextRule kGlobText;
extern const TextRule kListenText;  // loopback ADDRESS:PORT, or off
extern const TextRule kAddressText;

// `value` as a YAML scalar that reads back as the same text; for text without control characters.
[[nodiscard]] std::string yaml_text(std::string_view value);

}  // namespace plimsoll
