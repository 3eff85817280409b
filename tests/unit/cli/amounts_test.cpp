// amounts_test.cpp - figures and times as people read them.
#include "cli/amounts.hpp"

#include <rapidcheck/catch.h>
#include <catch2/catch.hpp>

#include <limits>

using namespace plimsoll;
using namespace plimsoll::cli;

TEST_CASE("sizes have three significant digits and are rounded down") {
  CHECK(human_bytes(0) == "0 B");
  CHECK(human_bytes(1023) == "1023 B");
  CHECK(human_bytes(1024) == "1.00 KiB");
  CHECK(human_bytes(1024 * 1024 - 1) == "1023 KiB");
  CHECK(human_bytes(std::int64_t{87'187'000'000}) == "81.1 GiB");
  CHECK(human_bytes(-5) == "0 B");
  CHECK(human_bytes(std::numeric_limits<std::int64_t>::max()) == "8.00 EiB");
}

TEST_CASE("done and total share one unit, and an unknown total is a question mark") {
  const std::int64_t gib = std::int64_t{1} << 30;
  CHECK(human_amount({81 * gib, 120 * gib}) == "81.0/120 GiB");
  CHECK(human_amount({515 * gib, 1024 * gib}) == "515/1024 GiB");
  CHECK(human_amount({2 * 1024 * gib, 3 * 1024 * gib}) == "2.00/3.00 TiB");
  CHECK(human_amount({120 * gib, std::nullopt}) == "120/? GiB");
  CHECK(human_amount({0, std::nullopt}) == "-");
  CHECK(human_amount({0, 10}) == "0/10 B");
  CHECK(human_amount({12, 40, "files"}) == "12/40 files");
  CHECK(human_amount({6, 100, "percent"}) == "6/100 %");
}

TEST_CASE("done never looks like total before it is") {
  rc::prop("less is shown as less or equal, never as more", [] {
    const std::int64_t total = std::int64_t{1} << 40;
    const auto done = *rc::gen::inRange(std::int64_t{0}, total - (std::int64_t{1} << 30));
    RC_ASSERT(human_amount({done, total}) != human_amount({total, total}));
  });
}

TEST_CASE("rates are absent when not known, and never negative") {
  CHECK(human_rate(std::nullopt, "bytes") == "-");
  CHECK(human_rate(-1.0, "bytes") == "-");
  CHECK(human_rate(std::numeric_limits<double>::quiet_NaN(), "bytes") == "-");
  CHECK(human_rate(412.0 * 1048576, "bytes") == "412 MiB/s");
  CHECK(human_rate(412.0 * 1048576, "bytes", true) == "412M");
  CHECK(human_rate(0.0, "bytes", true) == "0");
  CHECK(human_rate(3.25, "files") == "3.2 files/s");
}

TEST_CASE("durations keep two figures at most") {
  CHECK(human_duration(seconds(9)) == "9s");
  CHECK(human_duration(seconds(192)) == "3m12s");
  CHECK(human_duration(seconds(41 * 60 + 59)) == "41m");
  CHECK(human_duration(seconds(2 * 3600 + 5 * 60)) == "2h05m");
  CHECK(human_duration(seconds(3 * 86400 + 4 * 3600)) == "3d4h");
  CHECK(human_duration(seconds(-1)) == "0s");
  CHECK(human_duration(std::optional<std::int64_t>()) == "-");
}

TEST_CASE("ages are never negative, whatever two clocks say") {
  const auto now = *parse_time("2026-12-01T12:00:00Z");
  CHECK(human_age(now - seconds(9), now) == "9s");
  CHECK(human_age(now + seconds(9), now) == "0s");
  CHECK(human_age(std::nullopt, now) == "-");
  CHECK(human_ago(now, now) == "just now");
}

TEST_CASE("percent is rounded down and unknown is a question mark") {
  CHECK(human_percent(99.96) == "99.9%");
  CHECK(human_percent(50.3) == "50.3%");
  CHECK(human_percent(std::nullopt) == "?");
  CHECK(whole_percent(67.9) == "67%");
}

TEST_CASE("RFC 3339 is read with fractions and offsets, and the epoch is not known") {
  const auto plain = parse_time("2026-12-01T17:06:00.250Z");
  REQUIRE(plain);
  CHECK(clock_seconds(*plain) == "17:06:00");
  CHECK(clock_minutes(*plain) == "17:06");
  CHECK(parse_time("2026-12-01T19:06:00.25+02:00") == plain);
  CHECK(parse_time("2026-12-01T17:06:00.250999999Z") == plain);
  CHECK_FALSE(parse_time("1970-01-01T00:00:00Z"));
  for (const char* bad :
       {"", "2026-12-01", "2026-13-01T00:00:00Z", "2026-12-01T25:00:00Z", "2026-12-01T17:06:00",
        "2026-12-01T17:06:00+0200", "x026-12-01T17:06:00Z"})
    CHECK_FALSE(parse_time(bad));
}

TEST_CASE("durations on the command line") {
  CHECK(parse_duration("10s") == milliseconds(10'000));
  CHECK(parse_duration("500ms") == milliseconds(500));
  CHECK(parse_duration("1h30m") == milliseconds(5'400'000));
  CHECK(parse_duration("0.5s") == milliseconds(500));
  CHECK(parse_duration("45") == milliseconds(45'000));
  CHECK(parse_duration("0") == milliseconds(0));
  for (const char* bad : {"", "s", "-1s", "1x", "10 s", "1e3s", "nan", "9999999999d", "1s-2s"})
    CHECK_FALSE(parse_duration(bad));
}
