// retire_test.cpp - a segment goes when the design says so, and never before.
#include <catch2/catch.hpp>

#include "agent/core/retire.hpp"
#include "tests/unit/agent/core_rig.hpp"

using namespace plimsoll;
using namespace plimsoll::test;

namespace {

Attempt over(AttemptState state, TimePoint since) {
  Attempt attempt;
  attempt.judgement.state = state;
  attempt.judgement.over_at = since;
  return attempt;
}

}  // namespace

TEST_CASE(
    "every combination of lock, state, acknowledgement, age and controller follows the rule") {
  const auto settings_base = test_settings();
  const TimePoint end(seconds(5000));
  const UplinkSession link;
  for (const auto state : {AttemptState::waiting, AttemptState::running, AttemptState::stalled,
                           AttemptState::cancelling, AttemptState::unreadable, AttemptState::lost,
                           AttemptState::ended}) {
    for (unsigned bits = 0; bits < 16; ++bits) {
      for (const Duration age :
           {Duration(0), settings_base.keep_finished, settings_base.keep_unacknowledged}) {
        auto settings = settings_base;
        settings.has_controller = (bits & 1U) != 0;
        auto attempt = over(state, end);
        attempt.lock_held = (bits & 2U) != 0;
        attempt.delivery.end_acked = (bits & 4U) != 0;
        attempt.delivery.lost_acked = (bits & 8U) != 0;
        const bool is_over = state == AttemptState::lost || state == AttemptState::ended;
        const bool kept = age >= settings.keep_finished;
        const bool acked = (state == AttemptState::ended && attempt.delivery.end_acked) ||
                           (state == AttemptState::lost && attempt.delivery.lost_acked && kept);
        const bool expected =
            !attempt.lock_held && is_over &&
            (age >= settings.keep_unacknowledged || (settings.has_controller ? acked : kept));
        CAPTURE(static_cast<int>(state), bits, age.count());
        CHECK(may_unlink(attempt, settings, link, end + age) == expected);
      }
    }
  }
}

TEST_CASE("nothing is unlinked while the hold after a change of store lasts") {
  auto attempt = over(AttemptState::ended, TimePoint{});
  attempt.delivery.end_acked = true;
  UplinkSession link;
  link.unlink_hold_until = TimePoint(seconds(600));
  CHECK_FALSE(may_unlink(attempt, test_settings(), link, TimePoint(seconds(599))));
  CHECK(may_unlink(attempt, test_settings(), link, TimePoint(seconds(600))));
}

TEST_CASE("a result is unlinked at its acknowledgement, but not while the mover holds the lock") {
  CoreRig rig;
  rig.found(1, ended_reading(Outcome::durable, true));
  rig.connect();
  CHECK(CoreRig::count<Unlink>(rig.acknowledge()) == 0);
  rig.read(1, ended_reading(Outcome::durable, false));
  CHECK(CoreRig::count<Unlink>(rig.tick_after(seconds(1))) == 1);
  rig.apply(SegmentGone{segment_id(1)});
  CHECK_FALSE(rig.knows(1));
}

TEST_CASE("a running segment is never unlinked, however old it gets and whatever is acknowledged") {
  CoreRig rig;
  rig.found(1, reading_of(true, 1, 10));
  rig.connect();
  rig.acknowledge();
  rig.apply(LinkClosed{"gone"});
  for (int day = 0; day < 30; ++day)
    CHECK(CoreRig::count<Unlink>(rig.tick_after(std::chrono::hours(24))) == 0);
  CHECK(rig.knows(1));
}

TEST_CASE(
    "an acknowledged loss stays for keepFinished, an unacknowledged one for keepUnacknowledged") {
  CoreRig rig;
  rig.found(1, reading_of(false));
  rig.found(2, reading_of(false));
  rig.connect();
  rig.acknowledge({{segment_id(2), ReportCode::orphan}});  // no room for it in the store
  rig.apply(LinkClosed{"gone"});
  CHECK(CoreRig::count<Unlink>(rig.tick_after(std::chrono::minutes(59))) == 0);
  CHECK(CoreRig::count<Unlink>(rig.tick_after(std::chrono::minutes(1))) == 1);
  rig.apply(SegmentGone{segment_id(1)});
  CHECK(CoreRig::count<Unlink>(rig.tick_after(std::chrono::hours(24 * 6))) == 0);
  CHECK(CoreRig::count<Unlink>(rig.tick_after(std::chrono::hours(24))) == 1);
}

TEST_CASE("an unlink that was not done is asked for again later") {
  CoreRig rig;
  rig.found(1, ended_reading(Outcome::durable));
  rig.connect();
  CHECK(CoreRig::count<Unlink>(rig.acknowledge()) == 1);
  CHECK(CoreRig::count<Unlink>(rig.tick_after(seconds(1))) == 0);
  CHECK(CoreRig::count<Unlink>(rig.tick_after(seconds(10))) == 1);
}

TEST_CASE(
    "another store has acknowledged nothing: all is sent again and nothing unlinked for ten "
    "minutes") {
  CoreRig rig;
  rig.found(1, ended_reading(Outcome::durable, true));
  rig.connect(1, {9, 9});
  rig.acknowledge();
  rig.apply(LinkClosed{"gone"});
  rig.advance(seconds(10));
  rig.all.clear();
  rig.connect(1, {8, 8});  // even its session number may be the same
  const auto reports = CoreRig::reports(rig.all);
  REQUIRE(reports.size() == 1);
  CHECK(reports.front().identity);
  rig.acknowledge();
  rig.read(1, ended_reading(Outcome::durable, false));
  for (int second = 0; second < 599; ++second) {
    rig.receive(Ping{1, 0, false});
    CHECK(CoreRig::count<Unlink>(rig.tick_after(seconds(1))) == 0);
  }
  CHECK(CoreRig::count<Unlink>(rig.tick_after(seconds(1))) == 1);
}
