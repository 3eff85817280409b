// rate_limit_test.cpp - lines per second and reason.
#include "runtime/rate_limit.hpp"

#include <catch2/catch.hpp>

using namespace plimsoll;

TEST_CASE("a reason gets its budget each second and is told what was left out") {
  RateLimit limit(2);
  const TimePoint begin{seconds(50)};
  CHECK(limit.ask("a", begin).allowed);
  CHECK(limit.ask("a", begin + milliseconds(500)).allowed);
  CHECK_FALSE(limit.ask("a", begin + milliseconds(900)).allowed);
  CHECK_FALSE(limit.ask("a", begin + milliseconds(999)).allowed);
  CHECK(limit.ask("b", begin + milliseconds(999)).allowed);
  const auto next = limit.ask("a", begin + seconds(1));
  CHECK(next.allowed);
  CHECK(next.suppressed == 2);
  CHECK(limit.ask("a", begin + seconds(1)).suppressed == 0);
}

TEST_CASE("no limit lets everything through") {
  RateLimit limit(0);
  for (int i = 0; i < 1000; ++i)
    CHECK(limit.ask("a", TimePoint{}).allowed);
}

TEST_CASE("reasons beyond the bound share one budget, so memory stays bounded") {
  RateLimit limit(1);
  for (std::size_t i = 0; i < RateLimit::kMaxReasons; ++i)
    REQUIRE(limit.ask("reason " + std::to_string(i), TimePoint{}).allowed);
  CHECK(limit.ask("one more", TimePoint{}).allowed);
  CHECK_FALSE(limit.ask("and another", TimePoint{}).allowed);
}
