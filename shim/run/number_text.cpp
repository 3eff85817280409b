// number_text.cpp - see number_text.hpp.
#include "shim/run/number_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace plimsoll {

namespace {

struct Unit {
  std::string_view name;
  double bytes;
};

// Longer names first: "B" begins none of the others, but the table must not depend on that.
constexpr std::array kUnits = {
    Unit{"KiB", 0x1p10}, Unit{"MiB", 0x1p20}, Unit{"GiB", 0x1p30}, Unit{"TiB", 0x1p40},
    Unit{"PiB", 0x1p50}, Unit{"EiB", 0x1p60}, Unit{"kB", 1e3},     Unit{"MB", 1e6},
    Unit{"GB", 1e9},     Unit{"TB", 1e12},    Unit{"PB", 1e15},    Unit{"EB", 1e18},
    Unit{"B", 1},
};

}  // namespace

bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

bool begins_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

bool eat(std::string_view& text, std::string_view start) {
  if (!begins_with(text, start)) return false;
  text.remove_prefix(start.size());
  return true;
}

void eat_spaces(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

std::int64_t take_integer(std::string_view& text) {
  if (text.empty() || !is_digit(text.front())) return -1;
  std::int64_t value = 0;
  for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1))
    value = value > (kMaxCount - 9) / 10 ? kMaxCount : value * 10 + (text.front() - '0');
  return value;
}

std::int64_t take_size(std::string_view& text) {
  if (text.empty() || !is_digit(text.front())) return -1;
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (error != std::errc()) return -1;
  std::string_view rest(stop, static_cast<std::size_t>(end - stop));
  eat_spaces(rest);
  for (const Unit& unit : kUnits) {
    if (!eat(rest, unit.name)) continue;
    text = rest;
    return saturated(number * unit.bytes);
  }
  return -1;
}

std::int64_t take_hundredths(std::string_view& text) {
  const std::int64_t whole = take_integer(text);
  if (whole < 0) return -1;
  std::int64_t value = std::min<std::int64_t>(whole, kMaxCount / 1000) * 100;
  if (!eat(text, ".")) return value;
  for (std::int64_t worth = 10; !text.empty() && is_digit(text.front()); worth /= 10) {
    value += worth * (text.front() - '0');
    text.remove_prefix(1);
  }
  return value;
}

std::int64_t share_of(std::int64_t whole, std::int64_t hundredths) {
  const std::int64_t part = std::clamp<std::int64_t>(hundredths, 0, kWholeInHundredths);
  return whole / kWholeInHundredths * part + whole % kWholeInHundredths * part / kWholeInHundredths;
}

std::int64_t saturated(double value) {
  if (!(value > 0)) return 0;  // NaN too
  return value < 9.2e18 ? static_cast<std::int64_t>(value) : kMaxCount;
}

}  // namespace plimsoll
