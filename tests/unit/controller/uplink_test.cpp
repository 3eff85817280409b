// uplink_test.cpp - sessions, acks and fencing.
#include <catch2/catch.hpp>

#include <algorithm>

#include "tests/unit/controller/world.hpp"

namespace plimsoll::test {
namespace {

bool closed(const World& world, ConnectionId connection) {
  return std::any_of(world.effects.begin(), world.effects.end(), [&](const Effect& effect) {
    const auto* close = std::get_if<CloseLink>(&effect);
    return close != nullptr && close->connection == connection;
  });
}

World with_backup(ControllerSettings settings = {}) {
  World world(settings);
  REQUIRE(world.create("b", SealMode::manual, {"paths/a"}));
  REQUIRE(world.seal("b"));
  return world;
}

TEST_CASE("Welcome comes after the session is committed, one higher than the last") {
  World world;
  world.hold_commits = true;
  world.connect();
  CHECK(world.sent<Welcome>().empty());
  REQUIRE(world.held.has_value());
  world.finish_commit();
  REQUIRE(world.sent<Welcome>().size() == 1);
  CHECK(world.sent<Welcome>()[0].session == 1);
  CHECK(world.sent<Welcome>()[0].store == StoreId{1, 2});
  CHECK(world.sent<Desired>()[0].reset);
  world.hold_commits = false;
  CHECK(world.connect() == 2);
  world.restart();
  CHECK(world.connect() == 3);
}

TEST_CASE("a batch is acknowledged only after the commit that holds it") {
  auto world = with_backup();
  world.connect();
  world.hold_commits = true;
  world.report(running(1, "b", "paths/a"));
  CHECK(world.sent<Ack>().empty());
  world.finish_commit();
  REQUIRE(world.sent<Ack>().size() == 1);
  CHECK(world.sent<Ack>()[0].seq == 1);
  CHECK(world.stored.attempt(segment(1)) != nullptr);
}

TEST_CASE("a batch that changes nothing waits for the commit that is under way") {
  auto world = with_backup();
  world.connect();
  world.hold_commits = true;
  world.report(running(1, "b", "paths/a"));
  world.report(running(1, "b", "paths/a"));
  CHECK(world.sent<Ack>().empty());
  world.finish_commit();
  CHECK(world.sent<Ack>().size() == 2);
}

TEST_CASE("numbers are committed together within a second, an end at once") {
  auto world = with_backup();
  world.connect();
  auto report = running(1, "b", "paths/a");
  world.report(report);
  world.hold_commits = true;
  report.seq = 2;
  report.sample->completed = 20;
  world.report(report);
  CHECK_FALSE(world.held.has_value());
  world.advance(milliseconds(999));
  CHECK_FALSE(world.held.has_value());
  world.advance(milliseconds(1));
  CHECK(world.held.has_value());
  world.finish_commit();
  world.report(ended(report, Outcome::durable));
  REQUIRE(world.held.has_value());
  CHECK(world.held->urgent);
}

TEST_CASE("no ack while the store fails, but Ping busy; all is acknowledged when it is back") {
  auto world = with_backup();
  world.connect();
  world.hold_commits = true;
  world.report(running(1, "b", "paths/a"));
  world.fail_commit();
  world.effects.clear();
  for (int i = 0; i < 4; ++i) {
    world.advance(seconds(1));
    if (world.held) world.fail_commit();
  }
  CHECK(world.sent<Ack>().empty());
  const auto pings = world.sent<Ping>();
  REQUIRE(pings.size() >= 2);
  CHECK(pings.back().busy);
  world.advance(seconds(1));
  world.hold_commits = false;
  world.finish_commit();
  CHECK(world.sent<Ack>().size() == 1);
}

TEST_CASE("a newer session fences the older one, whose frames change nothing") {
  auto world = with_backup();
  const auto old_session = world.connect();
  const auto old_connection = world.connection("n1");
  world.effects.clear();
  world.connect();
  CHECK(closed(world, old_connection));
  const auto fenced =
      std::any_of(world.effects.begin(), world.effects.end(), [&](const Effect& one) {
        const auto* sent = std::get_if<Send>(&one);
        const auto* refuse = sent ? std::get_if<Refuse>(&sent->message) : nullptr;
        return refuse && refuse->code == RefuseCode::fenced && sent->connection == old_connection;
      });
  CHECK(fenced);
  const Batch late{
      old_session, 1, false, false, {ended(running(1, "b", "paths/a"), Outcome::durable)}};
  world.apply(MessageReceived{old_connection, late, world.wall()});
  world.apply(MessageReceived{world.connection("n1"), late, world.wall()});
  CHECK(world.phase("b") == BackupPhase::uploading);
  CHECK(world.stored.attempts().empty());
}

TEST_CASE("an agent of another node is refused, unless any node is welcome") {
  ControllerSettings settings;
  settings.own_node = "n1";
  World world(settings);
  world.connect("n2");
  REQUIRE(world.sent<Refuse>("n2").size() == 1);
  CHECK(world.sent<Refuse>("n2")[0].code == RefuseCode::node);
  CHECK(closed(world, world.connection("n2")));
  settings.any_node = true;
  World open(settings);
  CHECK(open.connect("n2") == 1);
}

TEST_CASE("no common protocol version is said once, with time to retry") {
  World world;
  world.apply(LinkOpened{ConnectionId{99}});
  Hello hello;
  hello.node = "n1";
  hello.protocol_min = 2;
  hello.protocol_max = 3;
  world.apply(MessageReceived{ConnectionId{99}, hello, world.wall()});
  REQUIRE(std::holds_alternative<Send>(world.effects[1]));
  const auto& refuse = std::get<Refuse>(std::get<Send>(world.effects[1]).message);
  CHECK(refuse.code == RefuseCode::version);
  CHECK(refuse.retry_after_ms > 0);
  CHECK(closed(world, ConnectionId{99}));
}

TEST_CASE("a second Hello, a batch before Welcome or a controller's message closes the link") {
  World world;
  const auto kind = GENERATE(0, 1, 2);
  world.connect();
  if (kind == 0) world.apply(MessageReceived{world.connection("n1"), Hello{}, world.wall()});
  if (kind == 1) {
    world.apply(LinkOpened{ConnectionId{98}});
    world.apply(MessageReceived{ConnectionId{98}, Batch{}, world.wall()});
    CHECK(closed(world, ConnectionId{98}));
    return;
  }
  if (kind == 2) world.apply(MessageReceived{world.connection("n1"), Ack{}, world.wall()});
  CHECK(closed(world, world.connection("n1")));
}

TEST_CASE("six seconds of silence are the end of a link, two of our own bring a ping") {
  World world;
  world.connect();
  const auto connection = world.connection("n1");
  world.effects.clear();
  for (int i = 0; i < 5; ++i) {
    world.now += seconds(1);
    world.tick();
  }
  CHECK(world.sent<Ping>().size() == 2);
  CHECK_FALSE(closed(world, connection));
  world.now += seconds(1);
  world.tick();
  CHECK(closed(world, connection));
}

TEST_CASE("a report that is not well formed is refused with a code, the others are taken") {
  auto world = with_backup();
  world.connect();
  auto bad = running(1, "b", "paths/a");
  bad.identity->item = "no slash";
  auto nameless = running(2, "b", "paths/a");
  nameless.identity.reset();
  world.full_state({bad, nameless, running(3, "b", "paths/a")});
  const auto acks = world.sent<Ack>();
  REQUIRE(acks.size() == 1);
  REQUIRE(acks[0].refused.size() == 2);
  CHECK(acks[0].refused[0] == RefusedReport{segment(1), ReportCode::malformed});
  CHECK(acks[0].refused[1] == RefusedReport{segment(2), ReportCode::malformed});
  CHECK(world.upload("b", "paths/a").view.attempts == 1);
}

TEST_CASE("another node cannot speak for a segment") {
  ControllerSettings settings;
  settings.any_node = true;
  auto world = with_backup(settings);
  world.connect("n1");
  world.connect("n2");
  world.report(running(1, "b", "paths/a"), "n1");
  world.report(ended(running(1, "b", "paths/a"), Outcome::durable), "n2");
  CHECK(world.phase("b") == BackupPhase::uploading);
  CHECK(world.sent<Ack>("n2")[0].refused[0].code == ReportCode::malformed);
}

}  // namespace
}  // namespace plimsoll::test
