// time_text.cpp - see time_text.hpp.
#include "schemas/time_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace plimsoll {
namespace {

struct Fields {
  int year = 1970;
  unsigned month = 1;
  unsigned day = 1;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int millisecond = 0;
};

Fields fields_of(WallTime time) {
  using namespace std::chrono;
  const WallTime first{sys_days{year{0} / 1 / 1}};
  const WallTime last{sys_days{year{10000} / 1 / 1} - milliseconds(1)};
  time = std::clamp(time, first, last);
  const auto day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{time - day};
  return {static_cast<int>(date.year()),
          static_cast<unsigned>(date.month()),
          static_cast<unsigned>(date.day()),
          static_cast<int>(clock.hours().count()),
          static_cast<int>(clock.minutes().count()),
          static_cast<int>(clock.seconds().count()),
          static_cast<int>(clock.subseconds().count())};
}

}  // namespace

std::string utc_text(WallTime time) {
  const Fields f = fields_of(time);
  std::array<char, 64> text{};
  (void)std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", f.year,
                      f.month, f.day, f.hour, f.minute, f.second,
                      f.millisecond);  // bounded by clamp
  return text.data();
}

std::string compact_utc_text(WallTime time) {
  const Fields f = fields_of(time);
  std::array<char, 64> text{};
  (void)std::snprintf(text.data(), text.size(), "%04d%02u%02ut%02d%02d%02dz", f.year, f.month,
                      f.day, f.hour, f.minute, f.second);  // bounded by clamp
  return text.data();
}

std::string duration_text(Duration duration) {
  const auto whole_s = std::chrono::duration_cast<seconds>(duration).count();
  struct Unit {
    std::int64_t length_s;
    const char* name;
  };
  for (const auto& unit : {Unit{86400, "d"}, Unit{3600, "h"}, Unit{60, "m"}})
    if (whole_s != 0 && whole_s % unit.length_s == 0)
      return std::to_string(whole_s / unit.length_s) + unit.name;
  return std::to_string(whole_s) + "s";
}

}  // namespace plimsoll
