// attempts_test.cpp - what reports change in an attempt, how attempts are numbered, and who ends an
// upload.
#include <catch2/catch.hpp>

#include "controller/core/backups/expected_uploads.hpp"
#include "tests/unit/controller/world.hpp"

namespace plimsoll::test {
namespace {

World sealed(ControllerSettings settings = {}) {
  World world(settings);
  REQUIRE(world.create("b", SealMode::manual, {"paths/a"}));
  REQUIRE(world.seal("b"));
  world.connect();
  return world;
}

UploadView view(const World& world) {
  return world.upload("b", "paths/a").view;
}

WhoEnds who(const World& world) {
  return who_ends(world.state, *world.state.rows.upload(world.upload("b", "paths/a").id));
}

TEST_CASE("numbers are taken only with a higher sequence, and the count never falls") {
  auto world = sealed();
  auto report = running(1, "b", "paths/a");
  report.seq = 5;
  report.sample->completed = 50;
  world.report(report);
  report.seq = 4;
  report.sample->completed = 60;
  world.report(report);
  world.advance(seconds(1));
  CHECK(view(world).progress.items_completed == 50);
  report.seq = 6;
  report.sample->completed = 20;
  report.sample->total = 0;
  world.report(report);
  world.advance(seconds(1));
  CHECK(view(world).progress.items_completed == 50);
  CHECK(view(world).progress.items_to_complete == 100);
}

TEST_CASE("an ended attempt is latched") {
  auto world = sealed();
  const auto report = running(1, "b", "paths/a");
  world.report(ended(report, Outcome::durable));
  auto rogue = ended(report, Outcome::failed, "changed my mind");
  rogue.seq = 99;
  world.report(rogue);
  CHECK(world.stored.attempt(segment(1))->terminal->outcome == Outcome::durable);
  CHECK(world.phase("b") == BackupPhase::completed);
}

TEST_CASE("an outcome of a newer version proves nothing") {
  auto world = sealed();
  world.report(ended(running(1, "b", "paths/a"), static_cast<Outcome>(9)));
  CHECK(world.phase("b") == BackupPhase::partially_failed);
  CHECK(view(world).state == UploadState::failed);
}

TEST_CASE("attempts are numbered as first seen, or as the mover says if that number is free") {
  auto world = sealed();
  auto third = running(3, "b", "paths/a");
  third.identity->attempt = 7;
  auto same = running(4, "b", "paths/a");
  same.identity->attempt = 7;
  world.full_state({running(1, "b", "paths/a"), running(2, "b", "paths/a"), third, same});
  CHECK(world.stored.attempt(segment(1))->ordinal == 1);
  CHECK(world.stored.attempt(segment(2))->ordinal == 2);
  CHECK(world.stored.attempt(segment(3))->ordinal == 7);
  CHECK(world.stored.attempt(segment(4))->ordinal == 8);
  CHECK(view(world).attempt == 8);
  CHECK(view(world).attempts == 4);
}

TEST_CASE("an attempt whose mover was dead at first sight does not hide a living older one") {
  auto world = sealed();
  auto dead = lost(running(2, "b", "paths/a"));
  dead.born_dead = true;
  world.full_state({running(1, "b", "paths/a"), dead});
  CHECK(view(world).state == UploadState::running);
  CHECK(view(world).segment == segment(1));
}

TEST_CASE("a failure that is to be retried waits retryWithin for the next attempt") {
  auto world = sealed();
  const auto failed = ended(running(1, "b", "paths/a"), Outcome::failed, "busy", true);
  world.report(failed);
  CHECK_FALSE(view(world).progress.completed);
  CHECK(who(world) == WhoEnds::timer);
  SECTION("none comes: it has failed for good") {
    world.advance(minutes(10));
    CHECK(world.phase("b") == BackupPhase::partially_failed);
    CHECK(view(world).progress.err == "busy");
  }
  SECTION("one comes: it counts") {
    world.report(running(2, "b", "paths/a"));
    world.advance(minutes(30));
    CHECK(view(world).state == UploadState::running);
    world.report(ended(running(2, "b", "paths/a"), Outcome::durable));
    CHECK(world.phase("b") == BackupPhase::completed);
  }
}

TEST_CASE("a Lost mover has lostAfter to come back or be followed") {
  auto world = sealed();
  const auto report = running(1, "b", "paths/a");
  world.report(lost(report));
  CHECK(view(world).state == UploadState::lost);
  CHECK(who(world) == WhoEnds::timer);
  SECTION("nobody does") {
    world.advance(minutes(2));
    CHECK(world.phase("b") == BackupPhase::partially_failed);
    CHECK(view(world).progress.err.rfind("mover left without a result (last seen ", 0) == 0);
    CHECK(view(world).progress.items_completed == 10);
  }
  SECTION("it was there all the time") {
    world.advance(minutes(1));
    world.report(report);
    world.advance(minutes(5));
    CHECK(view(world).state == UploadState::running);
  }
  SECTION("a newer attempt came") {
    world.report(running(2, "b", "paths/a"));
    world.advance(minutes(5));
    CHECK(view(world).state == UploadState::running);
  }
}

TEST_CASE("a durable attempt stands, whatever runs beside it") {
  auto world = sealed();
  world.report(running(1, "b", "paths/a"));
  world.report(running(2, "b", "paths/a"));
  world.report(ended(running(1, "b", "paths/a"), Outcome::durable));
  CHECK(world.phase("b") == BackupPhase::completed);
}

TEST_CASE("an older attempt's late failure does not fail a newer one") {
  auto world = sealed();
  world.report(running(1, "b", "paths/a"));
  world.report(running(2, "b", "paths/a"));
  world.report(ended(running(1, "b", "paths/a"), Outcome::failed, "late"));
  CHECK(view(world).state == UploadState::running);
}

TEST_CASE("a restarted node's movers are Lost") {
  auto world = sealed();
  world.report(running(1, "b", "paths/a"));
  world.connect("n1", 2);
  CHECK(view(world).state == UploadState::lost);
  CHECK(view(world).reason == "node n1 was restarted");
  world.advance(minutes(2));
  CHECK(world.phase("b") == BackupPhase::partially_failed);
}

TEST_CASE("a segment that a full state does not name any more is Lost, one that it names is not") {
  auto world = sealed();
  REQUIRE(world.create("c", SealMode::manual, {"paths/c"}));
  const auto kept = running(1, "b", "paths/a");
  world.report(kept);
  world.report(running(2, "c", "paths/c"));
  world.connect();
  world.full_state({kept});
  CHECK(view(world).state == UploadState::running);
  CHECK(world.upload("c", "paths/c").view.state == UploadState::lost);
  CHECK(world.upload("c", "paths/c").view.reason == "its segment is gone");
}

TEST_CASE("no word from an agent for retrievalGrace makes its movers Lost; a word puts it right") {
  auto world = sealed();
  const auto report = running(1, "b", "paths/a");
  world.report(report);
  CHECK(who(world) == WhoEnds::mover);
  world.disconnect();
  CHECK(who(world) == WhoEnds::timer);
  world.advance(minutes(59));
  CHECK(view(world).state == UploadState::running);
  CHECK(world.upload("b", "paths/a").freshness == Freshness::unreachable);
  CHECK(world.upload("b", "paths/a").retrieval_error.has_value());
  CHECK(view(world).progress.err.empty());
  world.advance(minutes(1));
  CHECK(view(world).state == UploadState::lost);
  CHECK(view(world).reason.rfind("no word from n1 since 2026-12-01T", 0) == 0);
  SECTION("a word") {
    world.connect();
    world.full_state({report});
    CHECK(view(world).state == UploadState::running);
    world.advance(minutes(10));
    CHECK(view(world).state == UploadState::running);
  }
  SECTION("no word") {
    world.advance(minutes(2));
    CHECK(world.phase("b") == BackupPhase::partially_failed);
  }
}

TEST_CASE("retrievalGrace 0 waits for ever, and then a person ends it") {
  ControllerSettings settings;
  settings.retrieval_grace = Duration(0);
  auto world = sealed(settings);
  world.report(running(1, "b", "paths/a"));
  world.disconnect();
  world.advance(hours(24 * 30));
  CHECK(view(world).state == UploadState::running);
  CHECK(who(world) == WhoEnds::person);
}

TEST_CASE("an unreadable segment is a retrieval error: state and numbers stay, err is untouched") {
  auto world = sealed();
  auto report = running(1, "b", "paths/a");
  world.report(report);
  report.state = AttemptState::unreadable;
  report.reason = "its page does not verify";
  report.sample.reset();
  world.report(report);
  world.advance(seconds(1));
  const auto shown = world.upload("b", "paths/a");
  CHECK(shown.view.state == UploadState::running);
  CHECK(shown.view.progress.items_completed == 10);
  CHECK(shown.view.progress.err.empty());
  REQUIRE(shown.retrieval_error.has_value());
  CHECK(shown.retrieval_error->text == "its page does not verify");
  world.report(running(1, "b", "paths/a"));
  world.advance(seconds(1));
  CHECK_FALSE(world.upload("b", "paths/a").retrieval_error.has_value());
}

Report part(std::uint64_t number, const std::string& name, std::uint32_t total) {
  auto report = running(number, "b", "paths/a");
  report.identity->part = name;
  report.identity->parts_total = total;
  return report;
}

TEST_CASE("an upload in parts is durable only when as many parts as needed are") {
  auto world = sealed();
  world.report(part(1, "p1", 2));
  world.report(ended(part(1, "p1", 2), Outcome::durable));
  CHECK(world.phase("b") == BackupPhase::uploading);
  world.report(ended(part(2, "p2", 2), Outcome::durable));
  CHECK(world.phase("b") == BackupPhase::completed);
  CHECK(view(world).progress.items_completed == 200);
}

TEST_CASE("a part nobody reports fails the upload after attachTimeout") {
  auto world = sealed();
  world.report(ended(part(1, "p1", 2), Outcome::durable));
  world.advance(minutes(14));
  CHECK(world.phase("b") == BackupPhase::uploading);
  world.advance(minutes(1));
  CHECK(world.phase("b") == BackupPhase::partially_failed);
  CHECK(view(world).progress.err == "part 2 of 2 was never reported");
}

TEST_CASE("a named part without a number of parts is never complete") {
  auto world = sealed();
  world.report(ended(part(1, "p1", 0), Outcome::durable));
  CHECK(world.phase("b") == BackupPhase::uploading);
  world.advance(minutes(15));
  CHECK(view(world).progress.err == "the number of parts was never said");
}

TEST_CASE("history goes to the store with its upload") {
  auto world = sealed();
  world.hold_commits = true;
  auto report = running(1, "b", "paths/a");
  report.events = {{Severity::warning, "slow disk", 7}};
  world.report(report);
  REQUIRE(world.held.has_value());
  const auto* events = std::get_if<AddEvents>(&world.held->writes.back());
  REQUIRE(events != nullptr);
  REQUIRE(events->events.size() == 1);
  CHECK(events->events[0].event.text == "slow disk");
  CHECK(events->events[0].upload_id == world.upload("b", "paths/a").id);
}

}  // namespace
}  // namespace plimsoll::test
