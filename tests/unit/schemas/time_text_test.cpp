// time_text_test.cpp - times as people read them.
#include <catch2/catch.hpp>

#include <limits>

#include "schemas/time_text.hpp"

namespace plimsoll {
namespace {

TEST_CASE("a wall time reads as RFC 3339 in UTC, with milliseconds") {
  CHECK(utc_text(WallTime(milliseconds(0))) == "1970-01-01T00:00:00.000Z");
  CHECK(utc_text(WallTime(milliseconds(1'796'144'760'123))) == "2026-12-01T17:06:00.123Z");
  CHECK(compact_utc_text(WallTime(milliseconds(1'796'144'760'123))) == "20261201t170600z");
}

TEST_CASE("times beyond the calendar are clamped, not wrapped") {
  CHECK(utc_text(WallTime(milliseconds(std::numeric_limits<std::int64_t>::max()))) ==
        "9999-12-31T23:59:59.999Z");
  CHECK(utc_text(WallTime(milliseconds(std::numeric_limits<std::int64_t>::min()))) ==
        "0000-01-01T00:00:00.000Z");
}

TEST_CASE("a duration reads in the largest unit that loses nothing") {
  CHECK(duration_text(seconds(90)) == "90s");
  CHECK(duration_text(seconds(900)) == "15m");
  CHECK(duration_text(seconds(36 * 3600)) == "36h");
  CHECK(duration_text(seconds(2 * 86400)) == "2d");
  CHECK(duration_text(seconds(0)) == "0s");
}

}  // namespace
}  // namespace plimsoll
