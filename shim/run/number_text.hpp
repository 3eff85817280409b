// number_text.hpp - numbers as tools print them: counts, sizes with a unit, shares of a whole.
// Pure; everything saturates, nothing is negative but -1 for "no number here".
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace plimsoll {

inline constexpr std::int64_t kMaxCount = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kWholeInHundredths = 10'000;  // 100.00 %

[[nodiscard]] bool is_digit(char byte);
[[nodiscard]] bool begins_with(std::string_view text, std::string_view start);

// If `text` begins with `start`, drops it and says true.
bool eat(std::string_view& text, std::string_view start);
void eat_spaces(std::string_view& text);  // blanks and tabs

// Takes the leading digits off `text`; -1, and nothing taken, if there are none.
std::int64_t take_integer(std::string_view& text);

// Takes "397.768 MiB" or "12.3 MB" or "0 B" off `text`: bytes, rounded down, as exact as it was
// printed. -1 if it is no number with a unit.
std::int64_t take_size(std::string_view& text);

// Takes "12.34", "12.3" or "12" off `text`: hundredths, rounded down; -1 if there is no number.
std::int64_t take_hundredths(std::string_view& text);

// `hundredths` of a hundredth of `whole`, rounded down; more than all is all.
[[nodiscard]] std::int64_t share_of(std::int64_t whole, std::int64_t hundredths);

// `value` as a count: NaN and negative are 0.
[[nodiscard]] std::int64_t saturated(double value);

}  // namespace plimsoll
