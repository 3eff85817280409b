// amounts.hpp - numbers and times as people read them: IEC sizes, rates, durations, ages. Pure.
// Unknown is "-" or "?", never 0; every figure is rounded down, so nothing looks more done than it
// is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schemas/time.hpp"

namespace plimsoll::cli {

// Three significant digits: "0 B", "512 B", "1.25 KiB", "81.2 GiB", "1023 MiB".
[[nodiscard]] std::string human_bytes(std::int64_t bytes);

// Done and total in one unit: "81.2/120 GiB", "515/1024 GiB", "120/? GiB", "12/40 files". "-" where
// nothing at all is known.
struct Amount {
  std::int64_t done = 0;
  std::optional<std::int64_t> total;
  std::string units = "bytes";
};
[[nodiscard]] std::string human_amount(const Amount& amount);

// "412 MiB/s"; with `compact` "412M". Units other than bytes: "3.2 files/s". Absent = "-".
[[nodiscard]] std::string human_rate(std::optional<double> per_second, std::string_view units,
                                     bool compact = false);

// "9s", "3m12s", "41m", "2h05m", "3d4h", "140d".
[[nodiscard]] std::string human_duration(seconds duration);
[[nodiscard]] std::string human_duration(std::optional<std::int64_t> duration_seconds);  // or "-"

// The same as a sentence: "41m ago", "just now".
[[nodiscard]] std::string human_ago(WallTime then, WallTime now);

// Time since `then`, never negative (two clocks may differ); "-" when not known.
[[nodiscard]] std::string human_age(std::optional<WallTime> then, WallTime now);

// "67.7%"; "?" when not known.
[[nodiscard]] std::string human_percent(std::optional<double> percent);
[[nodiscard]] std::string whole_percent(std::optional<double> percent);  // "67%"

// "16:12", "16:12:03" and "16:12:03Z" in UTC.
[[nodiscard]] std::string clock_minutes(WallTime time);
[[nodiscard]] std::string clock_seconds(WallTime time);

// RFC 3339 in UTC or with an offset, as daemons write it; nothing if it is none or the epoch
// itself.
[[nodiscard]] std::optional<WallTime> parse_time(std::string_view text);

// "10s", "500ms", "2m", "1h30m", "7d", "45" (seconds); nothing if malformed, negative or > 10
// years.
[[nodiscard]] std::optional<milliseconds> parse_duration(std::string_view text);

}  // namespace plimsoll::cli
