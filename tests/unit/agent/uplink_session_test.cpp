// uplink_session_test.cpp - the session's table walked completely, and every deadline.
#include <rapidcheck/catch.h>
#include <catch2/catch.hpp>

#include "tests/unit/agent/core_rig.hpp"

using namespace plimsoll;
using namespace plimsoll::test;

namespace {

constexpr std::array kStates = {LinkState::disconnected, LinkState::dialing, LinkState::greeting,
                                LinkState::synced};

// A rig whose link is in `state`, with session 5 once synced.
CoreRig rig_in(LinkState state) {
  CoreRig rig;
  if (state == LinkState::disconnected) rig.state.uplink.retry_at = rig.moment.now + seconds(100);
  rig.tick();
  if (state == LinkState::greeting || state == LinkState::synced) rig.apply(LinkOpened{});
  if (state == LinkState::synced) {
    rig.receive(CoreRig::welcome(5));
    rig.tick();
  }
  REQUIRE(rig.state.uplink.state == state);
  return rig;
}

// One of each, as it would be right in session 5.
std::vector<UplinkMessage> every_message() {
  return {Hello{},
          CoreRig::welcome(6),
          Refuse{RefuseCode::fenced, "", 0},
          Batch{5, 1, false, false, {}},
          Ack{5, 1, {}},
          Desired{5, true, true, {}},
          Ping{5, 0, false}};
}

}  // namespace

TEST_CASE("every pair of state and message goes where the table says, or breaks the link off") {
  for (const auto from : kStates) {
    for (const auto& message : every_message()) {
      auto rig = rig_in(from);
      const auto next = next_link_state(from, link_event_of(message));
      const auto effects = rig.receive(message);
      CAPTURE(static_cast<int>(from), message.index());
      const bool connected = from == LinkState::greeting || from == LinkState::synced;
      // An Ack or Desired before the session is known belongs to an older one: it changes nothing
      // at all.
      const bool foreign =
          from == LinkState::greeting &&
          (std::holds_alternative<Ack>(message) || std::holds_alternative<Desired>(message));
      if (!connected || foreign) {
        CHECK(rig.state.uplink.state == from);
        CHECK(effects.empty());
      } else if (next) {
        CHECK(rig.state.uplink.state == *next);
      } else {
        CHECK(rig.state.uplink.state == LinkState::disconnected);
        CHECK(CoreRig::count<CloseLink>(effects) == 1);
        CHECK(rig.state.counters.protocol_errors == 1);
      }
    }
  }
}

TEST_CASE("every pair of state and happening of our own socket goes where the table says") {
  for (const auto from : kStates) {
    const std::vector<std::pair<Event, LinkEvent>> happenings = {
        {LinkOpened{}, LinkEvent::opened},
        {LinkClosed{"x"}, LinkEvent::closed},
        {ControllerAppeared{}, LinkEvent::dial_due}};
    for (const auto& [event, link_event] : happenings) {
      auto rig = rig_in(from);
      rig.apply(event);
      CAPTURE(static_cast<int>(from), static_cast<int>(link_event));
      CHECK(rig.state.uplink.state == next_link_state(from, link_event).value_or(from));
    }
  }
}

TEST_CASE("messages of another session change nothing") {
  auto rig = rig_in(LinkState::synced);
  rig.found(1, reading_of(true, 1, 10));
  rig.tick();
  const auto in_flight = rig.state.uplink.in_flight.size();
  REQUIRE(in_flight > 0);
  CHECK(rig.receive(Ack{4, 99, {}}).empty());
  CHECK(rig.receive(Desired{4, true, true, {{segment_id(1), DesiredAction::cancel}}}).empty());
  CHECK(rig.receive(Ping{4, 0, true}).empty());
  CHECK(rig.state.uplink.in_flight.size() == in_flight);
  CHECK(rig.state.desired.of(segment_id(1)) == DesiredAction::run);
}

TEST_CASE("the agent says hello first, with its timers") {
  CoreRig rig;
  CHECK(CoreRig::count<Dial>(rig.tick()) == 1);
  const auto hellos = CoreRig::sent<Hello>(rig.apply(LinkOpened{}));
  REQUIRE(hellos.size() == 1);
  CHECK(hellos.front().node == "node-1");
  CHECK(hellos.front().stall_after_ms == 120'000);
  CHECK(hellos.front().lost_after_ms == 120'000);
  CHECK(hellos.front().boot == BootId{1, 2});
}

TEST_CASE(
    "no acknowledgement for five seconds ends the connection, unless the controller says it is "
    "busy") {
  auto rig = rig_in(LinkState::synced);
  rig.found(1, reading_of(true, 1, 10));
  rig.tick();
  for (int second = 0; second < 30; ++second) {
    rig.receive(Ping{5, 0, true});
    CHECK(CoreRig::count<CloseLink>(rig.tick_after(seconds(1))) == 0);
  }
  for (int second = 0; second < 3; ++second) {
    rig.receive(Ping{5, 0, false});  // alive is not busy
    CHECK(CoreRig::count<CloseLink>(rig.tick_after(seconds(1))) == 0);
  }
  rig.receive(Ping{5, 0, false});
  CHECK(CoreRig::count<CloseLink>(rig.tick_after(seconds(1))) == 1);
  CHECK(rig.state.uplink.state == LinkState::disconnected);
}

TEST_CASE("six seconds of silence are the end, two of our own are a ping") {
  auto rig = rig_in(LinkState::synced);
  rig.acknowledge();
  CHECK(CoreRig::sent<Ping>(rig.tick_after(milliseconds(1999))).empty());
  const auto pings = CoreRig::sent<Ping>(rig.tick_after(milliseconds(1)));
  REQUIRE(pings.size() == 1);
  CHECK(pings.front().session == 5);
  CHECK(CoreRig::sent<Ping>(rig.tick_after(milliseconds(1999))).empty());
  CHECK(CoreRig::count<CloseLink>(rig.tick_after(seconds(2))) == 0);
  CHECK(CoreRig::count<CloseLink>(rig.tick_after(milliseconds(1))) == 1);
}

TEST_CASE("a controller that does not answer the hello is given up, a busy one is waited for") {
  auto rig = rig_in(LinkState::greeting);
  for (int second = 0; second < 20; ++second) {
    rig.receive(Ping{0, 0, true});
    CHECK(CoreRig::count<CloseLink>(rig.tick_after(seconds(1))) == 0);
  }
  rig.tick_after(seconds(5));
  CHECK(rig.state.uplink.state == LinkState::disconnected);
}

TEST_CASE(
    "a version in common is looked for again after thirty seconds, and the log says it once") {
  CoreRig rig;
  for (int round = 0; round < 5; ++round) {
    CHECK(CoreRig::count<Dial>(rig.tick()) == 1);
    rig.apply(LinkOpened{});
    CHECK(CoreRig::count<CloseLink>(rig.receive(Refuse{RefuseCode::version, "", 0})) == 1);
    CHECK(CoreRig::count<Dial>(rig.tick_after(seconds(29))) == 0);
    rig.advance(seconds(1));
  }
  CHECK(CoreRig::count<Note>(rig.all) == 1);
}

TEST_CASE("a controller that stops says when to come back, within reason") {
  auto rig = rig_in(LinkState::greeting);
  rig.receive(Refuse{RefuseCode::stopping, "", 4'000'000'000});
  CHECK(CoreRig::count<Dial>(rig.tick_after(seconds(59))) == 0);
  CHECK(CoreRig::count<Dial>(rig.tick_after(seconds(1))) == 1);
}

TEST_CASE("the socket's appearance is dialled at once and the backoff forgotten") {
  CoreRig rig;
  for (int i = 0; i < 20; ++i) {
    rig.tick_after(seconds(6));
    rig.apply(LinkFailed{"no such file"});
  }
  CHECK(rig.state.uplink.failures == 20);
  CHECK(CoreRig::count<Dial>(rig.apply(ControllerAppeared{})) == 1);
  CHECK(rig.state.uplink.failures == 0);
}

TEST_CASE("a fenced session is closed and dials anew") {
  auto rig = rig_in(LinkState::synced);
  CHECK(CoreRig::count<CloseLink>(rig.receive(Refuse{RefuseCode::fenced, "", 0})) == 1);
  CHECK(CoreRig::count<Dial>(rig.tick_after(seconds(6))) == 1);
}

TEST_CASE("an acknowledgement of what was never sent is a protocol error, an old one is nothing") {
  auto rig = rig_in(LinkState::synced);
  rig.acknowledge();
  CHECK(rig.receive(Ack{5, 0, {}}).empty());
  CHECK(CoreRig::count<CloseLink>(rig.receive(Ack{5, 77, {}})) == 1);
}

TEST_CASE("without a controller nothing is dialled") {
  auto settings = test_settings();
  settings.has_controller = false;
  CoreRig rig(settings);
  rig.found(1, reading_of(true, 1, 10));
  for (int i = 0; i < 100; ++i)
    CHECK(CoreRig::count<Dial>(rig.tick_after(seconds(1))) == 0);
  CHECK(CoreRig::count<Dial>(rig.apply(ControllerAppeared{})) == 0);
}

TEST_CASE("a stopping agent closes its link and does nothing more") {
  auto rig = rig_in(LinkState::synced);
  CHECK(CoreRig::count<CloseLink>(rig.apply(ShutdownRequested{})) == 1);
  rig.found(1, ended_reading(Outcome::durable));
  for (int i = 0; i < 20; ++i)
    CHECK(rig.tick_after(seconds(1)).empty());
}

TEST_CASE("backoff stays between its bounds and grows with failures", "[property]") {
  rc::prop("full jitter", [](std::uint64_t seed, std::uint32_t failures) {
    Random random(seed);
    const auto delay = backoff_delay(failures, random);
    RC_ASSERT(delay >= kBackoffMin);
    RC_ASSERT(delay <= kBackoffMax);
    Random again(seed);
    RC_ASSERT(backoff_delay(failures, again) == delay);
  });
  Random random(1);
  for (int i = 0; i < 50; ++i)
    CHECK(backoff_delay(0, random) == kBackoffMin);
  Duration longest{};
  for (int i = 0; i < 200; ++i)
    longest = std::max(longest, backoff_delay(9, random));
  CHECK(longest > seconds(4));
}
