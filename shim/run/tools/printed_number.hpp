// printed_number.hpp - counts as tools print them for people: grouped digits, sizes with units.
// Pure; nothing overflows, every value is rounded down.
#pragma once

#include <cstdint>
#include <string_view>

#include "shim/run/number_text.hpp"

namespace plimsoll {

// What one letter (k, M, G, T, P, E) multiplies by, where the tool does not say it with an "i".
enum class SizeBase : std::uint16_t { decimal = 1000, binary = 1024 };

// Each of these takes its text off the front of `text`; -1, and nothing taken, if there is none.

// "417,090,368" with groups of three parted by one of . , ' or a space (plain, no-break, thin or
// an apostrophe beyond ASCII); also without groups.
[[nodiscard]] std::int64_t take_grouped(std::string_view& text);

// "283.9 GB", "12.0 MiB", "190M", "5 KB", "0 B", "7,5k": number, at most one space, unit. An "i"
// in the unit means 1024 whatever `base` says; no unit means bytes.
[[nodiscard]] std::int64_t take_size(std::string_view& text, SizeBase base);

}  // namespace plimsoll
