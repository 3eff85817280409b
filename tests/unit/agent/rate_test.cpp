// rate_test.cpp - units per second that follow the truth without jumping.
#include <rapidcheck/catch.h>
#include <catch2/catch.hpp>

#include "agent/core/rate.hpp"

using namespace plimsoll;

namespace {
TimePoint at(double second) {
  return TimePoint(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(second)));
}
}  // namespace

TEST_CASE("a rate is not known before two different counts") {
  Rate rate;
  CHECK(rate.value(at(0)) == -1);
  rate.observe(100, at(1));
  CHECK(rate.value(at(1)) == -1);
  rate.observe(100, at(2));
  CHECK(rate.value(at(2)) == -1);
  rate.observe(200, at(3));
  CHECK(rate.value(at(3)) == Approx(50));
}

TEST_CASE("a steady mover has its own speed as rate, however unevenly it reports") {
  Rate rate;
  std::int64_t second = 0;
  for (const int pause : {1, 4, 1, 9, 2, 2, 7}) {
    second += pause;
    rate.observe(second * 1000, at(static_cast<double>(second)));
  }
  CHECK(rate.value(at(static_cast<double>(second))) == Approx(1000));
}

TEST_CASE("a new speed is most of the rate after two windows") {
  Rate rate;
  for (int i = 0; i <= 10; ++i)
    rate.observe(i * 100, at(i));
  for (int i = 1; i <= 60; ++i)
    rate.observe(1000 + i * 1000, at(10 + i));
  CHECK(rate.value(at(70)) > 850);
  CHECK(rate.value(at(70)) < 1000);
}

TEST_CASE("the rate fades while the count rests, but not between two steps of a slow reporter") {
  Rate rate;
  rate.observe(0, at(0));
  rate.observe(100, at(1));
  CHECK(rate.value(at(9)) == Approx(100));
  CHECK(rate.value(at(41)) == Approx(100 * std::exp(-1.0)));
  CHECK(rate.value(at(3600)) < 1e-9);
}

TEST_CASE("rates are never negative, not a number or beyond the fastest step", "[property]") {
  rc::prop("bounded by the fastest step",
           [](std::vector<std::pair<std::uint16_t, std::uint32_t>> steps) {
             Rate rate;
             double now = 0;
             std::int64_t count = 0;
             double fastest = 0;
             rate.observe(0, at(0));
             double last_change = 0;
             for (const auto& [pause_ms, grown] : steps) {
               now += pause_ms / 1000.0;
               if (grown > 0 && now > last_change) {
                 count += grown;
                 fastest = std::max(fastest, grown / (now - last_change));
                 last_change = now;
               }
               rate.observe(count, at(now));
               const auto value = rate.value(at(now));
               RC_ASSERT(value == -1 || (value >= 0 && value <= fastest * 1.001));
             }
           });
}
