// agent_step_test.cpp - looks, cancels, wishes of the controller, and segments that break or
// vanish.
#include <rapidcheck/catch.h>
#include <catch2/catch.hpp>

#include "tests/unit/agent/core_rig.hpp"

using namespace plimsoll;
using namespace plimsoll::test;

namespace {

UplinkMessage want(std::uint64_t number, DesiredAction action, std::uint64_t session = 1) {
  return Desired{session, true, true, {{segment_id(number), action}}};
}

}  // namespace

TEST_CASE("numbers count only with a higher sequence, and the count never falls") {
  CoreRig rig;
  rig.found(1, reading_of(true, 5, 500));
  rig.read(1, reading_of(true, 4, 900));
  CHECK(rig.attempt(1).progress.sample.completed == 500);
  rig.read(1, reading_of(true, 6, 300));
  CHECK(rig.attempt(1).progress.seq == 6);
  CHECK(rig.attempt(1).progress.sample.completed == 500);
}

TEST_CASE("the first result stands, whatever a mover writes later") {
  CoreRig rig;
  rig.found(1, ended_reading(Outcome::failed, true));
  rig.read(1, ended_reading(Outcome::durable, true));
  auto reading = reading_of(true, 9, 999);
  rig.read(1, reading);
  CHECK(rig.attempt(1).progress.terminal->outcome == Outcome::failed);
  CHECK(rig.attempt(1).ended());
}

TEST_CASE("absurd numbers are counted and change nothing") {
  CoreRig rig;
  rig.found(1, reading_of(true, 1, 100));
  auto reading = reading_of(true, 2, -50);
  rig.read(1, reading);
  CHECK(rig.state.counters.producer_errors == 1);
  CHECK(rig.attempt(1).progress.sample.completed == 100);
}

TEST_CASE("a count that rests becomes stalled by time alone, and runs again with the next byte") {
  CoreRig rig;
  rig.found(1, reading_of(true, 1, 100));
  rig.tick();
  rig.tick_after(std::chrono::minutes(2) - seconds(1));
  CHECK(rig.attempt(1).judgement.state == AttemptState::running);
  rig.tick_after(seconds(1));
  CHECK(rig.attempt(1).judgement.state == AttemptState::stalled);
  rig.read(1, reading_of(true, 2, 101));
  CHECK(rig.attempt(1).judgement.state == AttemptState::running);
}

TEST_CASE("a death is reported in the turn in which it is seen") {
  CoreRig rig;
  rig.found(1, reading_of(true, 1, 100));
  rig.connect();
  rig.acknowledge();
  rig.advance(milliseconds(10));
  rig.read(1, reading_of(false));
  const auto reports = CoreRig::reports(rig.tick());
  REQUIRE(reports.size() == 1);
  CHECK(reports.front().state == AttemptState::lost);
  CHECK(reports.front().sample->completed == 100);
  CHECK_FALSE(reports.front().terminal);
}

TEST_CASE("a wish to cancel is written once, and again only if the page does not show it") {
  CoreRig rig;
  rig.found(1, reading_of(true, 1, 100));
  rig.connect();
  CHECK(CoreRig::count<WriteCancel>(rig.receive(want(1, DesiredAction::cancel))) == 1);
  CHECK(CoreRig::count<WriteCancel>(rig.tick_after(seconds(1))) == 0);
  rig.apply(CancelWritten{segment_id(1), false});
  rig.receive(Ping{1, 0, true});
  CHECK(CoreRig::count<WriteCancel>(rig.tick_after(seconds(1))) == 1);
  const auto effects = rig.apply(CancelWritten{segment_id(1), true});
  CHECK(CoreRig::count<ReadNow>(effects) == 1);
  CHECK(rig.attempt(1).judgement.state == AttemptState::cancelling);
  for (int i = 0; i < 10; ++i) {
    rig.receive(Ping{1, 0, true});
    CHECK(CoreRig::count<WriteCancel>(rig.tick_after(seconds(1))) == 0);
  }
}

TEST_CASE("a mover that comes after the wish to cancel it is told at first sight") {
  CoreRig rig;
  rig.connect();
  rig.receive(want(1, DesiredAction::cancel));
  CHECK(CoreRig::count<WriteCancel>(rig.found(1, reading_of(true))) == 1);
}

TEST_CASE("a wish survives the loss of the connection and the restart of the agent's session") {
  CoreRig rig;
  rig.connect();
  rig.receive(want(1, DesiredAction::cancel));
  rig.apply(LinkClosed{"cut"});
  CHECK(CoreRig::count<WriteCancel>(rig.found(1, reading_of(true))) == 1);
}

TEST_CASE("an upload that has its result is not cancelled") {
  CoreRig rig;
  rig.found(1, ended_reading(Outcome::durable, true));
  rig.connect();
  CHECK(CoreRig::count<WriteCancel>(rig.receive(want(1, DesiredAction::cancel))) == 0);
  CHECK(CoreRig::count<WriteCancel>(rig.apply(CancelRequested{segment_id(1)})) == 0);
}

TEST_CASE("gone after a cancel is canceled, whatever the agent did in between") {
  CoreRig rig;
  auto reading = reading_of(false, 3, 40);
  reading.cancel_asked = true;
  rig.found(1, reading);  // a new agent finds both: the byte and a free lock
  rig.connect();
  const auto reports = CoreRig::reports(rig.all);
  REQUIRE(reports.size() == 1);
  REQUIRE(reports.front().terminal);
  CHECK(reports.front().terminal->outcome == Outcome::canceled);
  CHECK(reports.front().terminal->err == "gone after a cancel");
  CHECK(reports.front().terminal->completed == 40);
}

TEST_CASE("what the controller forgets is not reported any more and goes when its mover has gone") {
  CoreRig rig;
  rig.found(1, ended_reading(Outcome::failed, true));
  rig.connect(1);
  rig.receive(want(1, DesiredAction::forget));
  rig.apply(LinkClosed{"cut"});
  rig.advance(seconds(6));
  rig.all.clear();
  rig.connect(2);
  CHECK(CoreRig::reports(rig.all).empty());
  rig.read(1, ended_reading(Outcome::failed, false));
  CHECK(CoreRig::count<Unlink>(rig.tick_after(seconds(1))) == 1);
}

TEST_CASE("one faulty look is no news, three are a retrieval error that keeps state and numbers") {
  CoreRig rig;
  rig.found(1, reading_of(true, 3, 300));
  rig.apply(SegmentUnreadable{segment_id(1), SegmentFault::header_crc, true});
  CHECK(rig.attempt(1).judgement.state == AttemptState::running);
  rig.apply(SegmentUnreadable{segment_id(1), SegmentFault::header_crc, true});
  rig.apply(SegmentUnreadable{segment_id(1), SegmentFault::header_crc, true});
  CHECK(rig.attempt(1).judgement.state == AttemptState::unreadable);
  CHECK(rig.attempt(1).progress.sample.completed == 300);
  rig.read(1, reading_of(true, 4, 400));
  CHECK(rig.attempt(1).judgement.state == AttemptState::running);
}

TEST_CASE("a broken segment whose mover has gone is lost at once, never durable") {
  CoreRig rig;
  rig.found(1, reading_of(true, 3, 1000));
  rig.apply(SegmentUnreadable{segment_id(1), SegmentFault::short_read, false});
  CHECK(rig.attempt(1).lost());
}

TEST_CASE("a segment that vanished is not a success, and is reported before it is forgotten") {
  CoreRig rig;
  rig.found(1, reading_of(true, 3, 1000));
  rig.connect();
  rig.acknowledge();
  rig.apply(SegmentGone{segment_id(1)});
  CHECK(rig.attempt(1).lost());
  const auto reports = CoreRig::reports(rig.tick());
  REQUIRE(reports.size() == 1);
  CHECK(reports.front().state == AttemptState::lost);
  rig.acknowledge();
  const auto effects = rig.tick_after(std::chrono::hours(1));
  CHECK(CoreRig::count<Unlink>(effects) == 0);  // there is nothing to unlink
  CHECK_FALSE(rig.knows(1));
}

TEST_CASE("a vanished segment with a result keeps it until it is acknowledged") {
  CoreRig rig;
  rig.found(1, ended_reading(Outcome::durable));
  rig.apply(SegmentGone{segment_id(1)});
  rig.tick_after(seconds(5));
  REQUIRE(rig.knows(1));
  CHECK(rig.attempt(1).ended());
  rig.connect();
  rig.acknowledge();
  rig.receive(Ping{1, 0, true});
  rig.tick_after(seconds(1));
  CHECK_FALSE(rig.knows(1));
}

TEST_CASE("events about unknown segments are ignored") {
  CoreRig rig;
  CHECK(rig.read(1, reading_of(true)).empty());
  CHECK(rig.apply(SegmentGone{segment_id(1)}).empty());
  CHECK(rig.apply(SegmentUnreadable{segment_id(1), SegmentFault::magic, true}).empty());
  CHECK(rig.apply(CancelRequested{segment_id(1)}).empty());
  CHECK(rig.apply(CancelWritten{segment_id(1), true}).empty());
}

TEST_CASE("the same events give the same effects, byte for byte") {
  const auto play = [] {
    CoreRig rig(test_settings(), 99);
    for (std::uint64_t i = 1; i < 30; ++i)
      rig.found(i, reading_of(i % 3 != 0, 1, 10));
    for (int i = 0; i < 10; ++i) {
      rig.tick_after(seconds(1));
      rig.apply(LinkFailed{"no"});
    }
    rig.connect();
    return std::pair(CoreRig::reports(rig.all), rig.state.uplink.retry_at);
  };
  CHECK(play() == play());
}

TEST_CASE("an attempt is never over without a result, a free lock or a missing file",
          "[property]") {
  rc::prop("nothing ends by itself",
           [](std::vector<std::pair<std::uint8_t, std::uint16_t>> script) {
             CoreRig rig;
             rig.found(1, reading_of(true, 1, 1));
             std::uint64_t seq = 1;
             for (const auto& [what, amount] : script) {
               switch (what % 4) {
                 case 0:
                   rig.tick_after(seconds(amount));
                   break;
                 case 1:
                   rig.read(1, reading_of(true, ++seq, amount));
                   break;
                 case 2:
                   rig.apply(SegmentUnreadable{segment_id(1), SegmentFault::magic, true});
                   break;
                 default:
                   rig.apply(CancelWritten{segment_id(1), true});
               }
               RC_ASSERT(rig.knows(1));
               RC_ASSERT(!rig.attempt(1).over());
             }
           });
}
