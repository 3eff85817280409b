// attempt_table_test.cpp - bounds: live ones come first, the oldest ended give way, nobody else is
// touched.
#include <rapidcheck/catch.h>
#include <catch2/catch.hpp>

#include "tests/unit/agent/core_rig.hpp"

using namespace plimsoll;
using namespace plimsoll::test;

namespace {

AgentSettings small(std::uint32_t per_directory, std::uint32_t per_uid, std::uint32_t total) {
  auto settings = test_settings();
  settings.limits = {per_directory, per_uid, total};
  return settings;
}

}  // namespace

TEST_CASE("a live segment beyond a full directory is not taken while all others live") {
  CoreRig rig(small(2, 10, 10));
  rig.found(1, reading_of(true));
  rig.found(2, reading_of(true));
  const auto effects = rig.found(3, reading_of(true));
  CHECK_FALSE(rig.knows(3));
  CHECK(CoreRig::count<Drop>(effects) == 1);
  CHECK(rig.state.counters.limit_hits == 1);
  CHECK(rig.knows(1));
  CHECK(rig.knows(2));
}

TEST_CASE("the segment that ended first gives way to a live one") {
  CoreRig rig(small(2, 10, 10));
  rig.found(1, reading_of(true));
  rig.found(2, ended_reading(Outcome::durable));
  rig.advance(seconds(5));
  rig.read(1, ended_reading(Outcome::failed));
  const auto effects = rig.found(3, reading_of(true));
  CHECK(rig.knows(1));
  CHECK_FALSE(rig.knows(2));
  CHECK(rig.knows(3));
  CHECK(CoreRig::count<Drop>(effects) == 1);
  CHECK(CoreRig::count<Unlink>(effects) == 0);  // its file stays
  CHECK(rig.state.counters.evicted == 1);
}

TEST_CASE("a result whose mover still holds the lock does not give way") {
  CoreRig rig(small(1, 10, 10));
  rig.found(1, ended_reading(Outcome::durable, true));
  rig.found(2, reading_of(true));
  CHECK(rig.knows(1));
  CHECK_FALSE(rig.knows(2));
}

TEST_CASE("a lost attempt that turns out to live again does not give way") {
  CoreRig rig(small(1, 10, 10));
  rig.found(1, reading_of(false));
  rig.read(1, reading_of(true, 1, 5));
  rig.found(2, reading_of(true));
  CHECK(rig.knows(1));
}

TEST_CASE("a full directory takes nothing from another one") {
  CoreRig rig(small(1, 10, 10));
  rig.found(1, ended_reading(Outcome::durable));
  rig.directory = 1;
  rig.found(2, reading_of(true));
  rig.found(3, reading_of(true));
  CHECK(rig.knows(1));
  CHECK(rig.knows(2));
  CHECK_FALSE(rig.knows(3));
}

TEST_CASE("the bound of one user takes nothing from another user") {
  CoreRig rig(small(10, 1, 10));
  rig.found(1, ended_reading(Outcome::durable));
  rig.owner_uid = 2000;
  rig.found(2, reading_of(true));
  rig.found(3, reading_of(true));
  CHECK(rig.knows(1));
  CHECK(rig.knows(2));
  CHECK_FALSE(rig.knows(3));
}

TEST_CASE("of two that ended the younger stays, so they never push each other out in turns") {
  CoreRig rig(small(1, 10, 10));
  rig.found(1, ended_reading(Outcome::durable));
  rig.advance(seconds(1));
  rig.found(2, ended_reading(Outcome::durable));
  CHECK(rig.knows(2));
  CHECK_FALSE(rig.knows(1));
  CoreRig same(small(1, 10, 10));
  same.found(2, ended_reading(Outcome::durable));
  same.found(1, ended_reading(Outcome::durable));  // started before 2, found in the same turn
  CHECK(same.knows(2));
  CHECK_FALSE(same.knows(1));
}

TEST_CASE("a segment that is known already changes nothing when it is found again") {
  CoreRig rig;
  rig.found(1, reading_of(true, 4, 400));
  rig.found(1, reading_of(true, 1, 1));
  CHECK(rig.attempt(1).progress.seq == 4);
}

TEST_CASE("no bound is ever exceeded, and a live one never leaves for a dead one", "[property]") {
  rc::prop("bounds hold", [](std::vector<std::tuple<std::uint8_t, std::uint8_t, bool>> arrivals) {
    CoreRig rig(small(4, 5, 8));
    std::uint64_t number = 0;
    for (const auto& [directory, uid, alive] : arrivals) {
      rig.directory = directory % 3;
      rig.owner_uid = uid % 3;
      rig.advance(milliseconds(10));
      std::set<SegmentId> live_before;
      for (const auto& [id, attempt] : rig.state.attempts.all())
        if (!attempt.over()) live_before.insert(id);
      rig.found(++number, alive ? reading_of(true) : ended_reading(Outcome::failed));
      std::map<std::uint32_t, int> per_directory;
      std::map<std::uint32_t, int> per_uid;
      for (const auto& [id, attempt] : rig.state.attempts.all()) {
        RC_ASSERT(++per_directory[attempt.origin.directory] <= 4);
        RC_ASSERT(++per_uid[attempt.origin.owner_uid] <= 5);
      }
      RC_ASSERT(rig.state.attempts.size() <= 8U);
      for (const auto& id : live_before)
        RC_ASSERT(rig.state.attempts.find(id) != nullptr);
    }
  });
}
