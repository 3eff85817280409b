// bounded_regex.hpp - a user's regular expression that can neither run away nor blow up.
// POSIX extended syntax (\d means [0-9]) on glibc's automaton: without back references its time is
// bounded by pattern × text, where std::regex recurses once per character and backtracks without a
// limit. What could still grow (back references, large or nested repetition counts, long patterns
// or texts) is refused.
#pragma once

#include <regex.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "schemas/result.hpp"

namespace plimsoll {

inline constexpr std::size_t kMaxPatternBytes = 256;
inline constexpr std::size_t kMaxMatchedBytes =
    4 * 1024;                                 // the rest of a longer text is not looked at
inline constexpr long kMaxRepetitions = 256;  // product of all {n,m} of a pattern

class BoundedRegex {
 public:
  struct Groups {
    std::string_view first;   // valid as long as the text is
    std::string_view second;  // empty if the pattern has one group or it took no part
  };

  // ErrorCode::usage for a pattern that is invalid, unbounded, or has no group.
  [[nodiscard]] static Result<BoundedRegex> compile(std::string_view pattern);

  BoundedRegex(BoundedRegex&& other) noexcept;
  BoundedRegex& operator=(BoundedRegex&& other) noexcept;
  BoundedRegex(const BoundedRegex&) = delete;
  BoundedRegex& operator=(const BoundedRegex&) = delete;
  ~BoundedRegex();

  // The leftmost, longest match. A NUL byte in `text` is no end: it matches as a space.
  [[nodiscard]] bool find(std::string_view text, Groups& groups);

 private:
  BoundedRegex() = default;

  regex_t compiled_{};
  bool owned_ = false;
  std::string text_;  // scratch: regexec wants a terminated string
};

}  // namespace plimsoll
