// desired_set_test.cpp - whole sets, changes, and sets that span frames.
#include <catch2/catch.hpp>

#include "agent/core/desired_set.hpp"

using namespace plimsoll;

namespace {
const SegmentId kA{1, 0};
const SegmentId kB{2, 0};
DesiredEntry cancel(const SegmentId& segment) {
  return {segment, DesiredAction::cancel};
}
}  // namespace

TEST_CASE("a set that spans frames counts when its last frame has come") {
  DesiredSet set;
  REQUIRE(set.take(Desired{1, true, false, {cancel(kA)}}));
  CHECK(set.of(kA) == DesiredAction::run);
  CHECK_FALSE(set.take_changed());
  REQUIRE(set.take(Desired{1, false, true, {cancel(kB)}}));
  CHECK(set.of(kA) == DesiredAction::cancel);
  CHECK(set.of(kB) == DesiredAction::cancel);
  CHECK(set.take_changed());
  CHECK_FALSE(set.take_changed());
}

TEST_CASE("a new whole set replaces the old one, a change adds to it") {
  DesiredSet set;
  REQUIRE(set.take(Desired{1, true, true, {cancel(kA)}}));
  REQUIRE(set.take(Desired{1, false, true, {cancel(kB)}}));
  CHECK(set.of(kA) == DesiredAction::cancel);
  REQUIRE(set.take(Desired{1, false, true, {{kA, DesiredAction::run}}}));
  CHECK(set.of(kA) == DesiredAction::run);
  REQUIRE(set.take(Desired{2, true, true, {}}));
  CHECK(set.of(kB) == DesiredAction::run);
}

TEST_CASE("half a set is void when the connection ends, and what was wanted stays wanted") {
  DesiredSet set;
  REQUIRE(set.take(Desired{1, true, true, {cancel(kA)}}));
  REQUIRE(set.take(Desired{1, true, false, {cancel(kB)}}));
  set.drop_unfinished();
  CHECK(set.of(kA) == DesiredAction::cancel);
  REQUIRE(set.take(Desired{2, false, true, {}}));
  CHECK(set.of(kA) == DesiredAction::cancel);
  CHECK(set.of(kB) == DesiredAction::run);
}

TEST_CASE("a set beyond every bound is refused") {
  DesiredSet set;
  std::vector<DesiredEntry> many(DesiredSet::kMaxEntries, cancel(kA));
  REQUIRE(set.take(Desired{1, true, false, many}));
  CHECK_FALSE(set.take(Desired{1, false, false, {cancel(kB)}}));
}
