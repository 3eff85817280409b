// clock_test.cpp - time without pauses.
#include "runtime/clock.hpp"

#include <rapidcheck/catch.h>
#include <optional>
#include <vector>

#include <catch2/catch.hpp>

using namespace plimsoll;

namespace {
constexpr std::uint64_t kSecondNs = 1'000'000'000U;
}

TEST_CASE("time passes as the boot clock says while gaps are short") {
  PauseFreeTime time;
  const auto begin = time.advance(100 * kSecondNs);
  CHECK(time.advance(101 * kSecondNs) - begin == seconds(1));
  CHECK(time.advance(103 * kSecondNs) - begin == seconds(3));
  CHECK(time.skipped() == seconds(0));
}

TEST_CASE("a gap longer than two seconds counts as two seconds") {
  PauseFreeTime time;
  const auto begin = time.advance(100 * kSecondNs);
  CHECK(time.advance(3700 * kSecondNs) - begin == seconds(2));
  CHECK(time.skipped() == seconds(3598));
  CHECK(time.advance(3701 * kSecondNs) - begin == seconds(3));
}

TEST_CASE("a clock that goes back lets no time pass") {
  PauseFreeTime time;
  const auto begin = time.advance(100 * kSecondNs);
  CHECK(time.advance(90 * kSecondNs) == begin);
  CHECK(time.advance(101 * kSecondNs) - begin == seconds(1));
}

TEST_CASE("pause-free time never goes back and never steps more than two seconds") {
  rc::prop("for any sequence of readings", [](const std::vector<std::uint64_t>& readings) {
    PauseFreeTime time;
    std::optional<TimePoint> last;
    for (const auto raw : readings) {
      const auto now = time.advance(raw >> 2U);  // within the range of a signed count
      if (last) RC_ASSERT(now >= *last && now - *last <= seconds(2));
      last = now;
    }
  });
}

TEST_CASE("the real clock moves and the wall clock is after 2020") {
  Clock clock;
  const auto begin = clock.now();
  const auto first = boottime_ns();
  while (boottime_ns() == first) {
  }
  CHECK(clock.now() > begin);
  CHECK(clock.wall().time_since_epoch() > seconds(1'577'836'800));
}
