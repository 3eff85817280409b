// cancel_ladder_test.cpp - SIGINT, SIGTERM, SIGKILL, each one grace apart, each once.
#include "shim/run/cancel_ladder.hpp"

#include <catch2/catch.hpp>

namespace plimsoll {

TEST_CASE("the ladder is climbed one grace a rung and ends at SIGKILL") {
  CancelLadder ladder(seconds(10));
  const TimePoint start{};
  CHECK(ladder.step(false, start) == 0);
  CHECK_FALSE(ladder.begun());
  CHECK(ladder.step(true, start + seconds(1)) == SIGINT);
  CHECK(ladder.begun());
  CHECK(ladder.step(true, start + milliseconds(10999)) == 0);
  CHECK(ladder.step(true, start + seconds(11)) == SIGTERM);
  CHECK(ladder.step(true, start + seconds(20)) == 0);
  CHECK_FALSE(ladder.exhausted());
  CHECK(ladder.step(true, start + seconds(21)) == SIGKILL);
  CHECK(ladder.exhausted());
  CHECK(ladder.step(true, start + seconds(99)) == 0);
}

TEST_CASE("a cancel once seen is never taken back") {
  CancelLadder ladder(seconds(1));
  const TimePoint start{};
  CHECK(ladder.step(true, start) == SIGINT);
  CHECK(ladder.step(false, start + seconds(1)) == SIGTERM);
}

}  // namespace plimsoll
