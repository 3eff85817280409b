// amounts.cpp - IEC scaling, durations and RFC 3339.
#include "cli/amounts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace plimsoll::cli {
namespace {

constexpr std::array<std::string_view, 7> kIec = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

std::size_t iec_step(double value) {
  std::size_t step = 0;
  while (value >= 1024 && step + 1 < kIec.size()) {
    value /= 1024;
    ++step;
  }
  return step;
}

// Three significant digits, rounded down; whole numbers at step 0.
std::string scaled(double value, std::size_t step) {
  const double figure = value / std::pow(1024.0, static_cast<double>(step));
  if (step == 0 || figure >= 100) return fmt::format("{:.0f}", std::floor(figure));
  const int digits = figure < 10 ? 2 : 1;
  const double tens = digits == 2 ? 100 : 10;
  return fmt::format("{:.{}f}", std::floor(figure * tens) / tens, digits);
}

bool is_bytes(std::string_view units) {
  return units.empty() || units == "bytes";
}

std::string_view short_unit(std::string_view units) {
  return units == "percent" ? "%" : units;
}

std::optional<int> digits_at(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(at, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

// "Z" or "+02:00" → minutes east of UTC.
std::optional<int> offset_minutes(std::string_view zone) {
  if (zone == "Z" || zone == "z") return 0;
  if (zone.size() != 6 || zone[3] != ':' || (zone[0] != '+' && zone[0] != '-')) return std::nullopt;
  const auto hours = digits_at(zone, 1, 2);
  const auto minutes = digits_at(zone, 4, 2);
  if (!hours || !minutes) return std::nullopt;
  return (zone[0] == '-' ? -1 : 1) * (*hours * 60 + *minutes);
}

// ".123456" at the front of `rest` → 123, and taken off; no fraction → 0.
int take_milliseconds(std::string_view& rest) {
  if (rest.empty() || rest[0] != '.') return 0;
  rest.remove_prefix(1);
  int value = 0;
  int place = 100;
  while (!rest.empty() && rest[0] >= '0' && rest[0] <= '9') {
    value += (rest[0] - '0') * place;
    place /= 10;
    rest.remove_prefix(1);
  }
  return value;
}

std::optional<double> unit_milliseconds(std::string_view unit) {
  if (unit == "ms") return 1;
  if (unit.empty() || unit == "s") return 1e3;
  if (unit == "m") return 60e3;
  if (unit == "h") return 3600e3;
  if (unit == "d") return 86400e3;
  return std::nullopt;
}

}  // namespace

std::string human_bytes(std::int64_t bytes) {
  const auto value = static_cast<double>(std::max<std::int64_t>(bytes, 0));
  const auto step = iec_step(value);
  return fmt::format("{} {}", scaled(value, step), kIec.at(step));
}

std::string human_amount(const Amount& amount) {
  if (amount.done == 0 && !amount.total) return "-";
  if (!is_bytes(amount.units)) {
    const auto total = amount.total ? std::to_string(*amount.total) : "?";
    return fmt::format("{}/{} {}", amount.done, total, short_unit(amount.units));
  }
  const auto done = static_cast<double>(std::max<std::int64_t>(amount.done, 0));
  const auto total = static_cast<double>(amount.total.value_or(0));
  auto step = iec_step(std::max(done, total));
  // 515/1024 GiB moves where 0.50/1.00 TiB stands still.
  if (step > 0 && std::max(done, total) < 2 * std::pow(1024.0, static_cast<double>(step))) --step;
  return fmt::format("{}/{} {}", scaled(done, step), amount.total ? scaled(total, step) : "?",
                     kIec.at(step));
}

std::string human_rate(std::optional<double> per_second, std::string_view units, bool compact) {
  if (!per_second || !std::isfinite(*per_second) || *per_second < 0) return "-";
  if (!is_bytes(units))
    return compact ? fmt::format("{:.1f}", *per_second)
                   : fmt::format("{:.1f} {}/s", *per_second, short_unit(units));
  const auto step = iec_step(*per_second);
  const auto figure = scaled(*per_second, step);
  if (!compact) return fmt::format("{} {}/s", figure, kIec.at(step));
  return step == 0 ? figure : figure + std::string(1, kIec.at(step)[0]);
}

std::string human_duration(seconds duration) {
  const auto total = std::max<std::int64_t>(duration.count(), 0);
  const auto days = total / 86400;
  const auto hours = total / 3600 % 24;
  const auto minutes = total / 60 % 60;
  if (total < 60) return fmt::format("{}s", total);
  if (total < 600) return fmt::format("{}m{:02}s", minutes, total % 60);
  if (total < 3600) return fmt::format("{}m", minutes);
  if (days == 0) return fmt::format("{}h{:02}m", hours, minutes);
  return days < 100 ? fmt::format("{}d{}h", days, hours) : fmt::format("{}d", days);
}

std::string human_duration(std::optional<std::int64_t> duration_seconds) {
  return duration_seconds ? human_duration(seconds(*duration_seconds)) : "-";
}

std::string human_age(std::optional<WallTime> then, WallTime now) {
  if (!then) return "-";
  return human_duration(std::chrono::floor<seconds>(now - *then));
}

std::string human_ago(WallTime then, WallTime now) {
  return now - then < seconds(1) ? "just now" : human_age(then, now) + " ago";
}

std::string human_percent(std::optional<double> percent) {
  return percent ? fmt::format("{:.1f}%", std::floor(*percent * 10 + 1e-6) / 10) : "?";
}

std::string whole_percent(std::optional<double> percent) {
  return percent ? fmt::format("{:.0f}%", std::floor(*percent)) : "?";
}

std::string clock_minutes(WallTime time) {
  return clock_seconds(time).substr(0, 5);
}

std::string clock_seconds(WallTime time) {
  const auto in_day =
      std::chrono::floor<seconds>(time - std::chrono::floor<std::chrono::days>(time)).count();
  return fmt::format("{:02}:{:02}:{:02}", in_day / 3600, in_day / 60 % 60, in_day % 60);
}

std::optional<WallTime> parse_time(std::string_view text) {
  constexpr std::size_t kSecondsEnd = 19;  // 2026-12-01T17:06:00
  if (text.size() < kSecondsEnd + 1) return std::nullopt;
  const auto year = digits_at(text, 0, 4), month = digits_at(text, 5, 2);
  const auto day = digits_at(text, 8, 2), hour = digits_at(text, 11, 2);
  const auto minute = digits_at(text, 14, 2), second = digits_at(text, 17, 2);
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  auto rest = text.substr(kSecondsEnd);
  const auto fraction_ms = take_milliseconds(rest);
  const auto offset = offset_minutes(rest);
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60 || !offset) return std::nullopt;
  const auto time = WallTime(std::chrono::sys_days(date)) + std::chrono::hours(*hour) +
                    std::chrono::minutes(*minute - *offset) + seconds(*second) +
                    milliseconds(fraction_ms);
  if (time.time_since_epoch().count() == 0) return std::nullopt;
  return time;
}

std::optional<milliseconds> parse_duration(std::string_view text) {
  constexpr double kLongestMs = 3650 * 86400e3;
  if (text.empty()) return std::nullopt;
  double total_ms = 0;
  while (!text.empty()) {
    double figure = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), figure, std::chars_format::fixed);
    if (error != std::errc() || figure < 0 || std::signbit(figure)) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const auto unit_end = std::min(text.find_first_of("0123456789."), text.size());
    const auto unit_ms = unit_milliseconds(text.substr(0, unit_end));
    if (!unit_ms) return std::nullopt;
    text.remove_prefix(unit_end);
    total_ms += figure * *unit_ms;
    if (!(total_ms <= kLongestMs)) return std::nullopt;
  }
  return milliseconds(static_cast<std::int64_t>(total_ms));
}

}  // namespace plimsoll::cli
