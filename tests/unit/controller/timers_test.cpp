// timers_test.cpp - what time alone decides, and that a restart of the controller does not hurry
// it.
#include <catch2/catch.hpp>

#include "controller/core/timers.hpp"
#include "tests/unit/controller/world.hpp"

namespace plimsoll::test {
namespace {

UploadView view(const World& world) {
  return world.upload("b", "paths/a").view;
}

TEST_CASE("an upload nobody reports fails with NotFound, attachTimeout after the seal") {
  World world;
  REQUIRE(world.create("b", SealMode::manual, {"paths/a"}));
  world.advance(hours(2));
  CHECK(world.phase("b") == BackupPhase::in_progress);
  REQUIRE(world.seal("b"));
  world.advance(minutes(14));
  CHECK(view(world).state == UploadState::pending);
  world.advance(minutes(1));
  CHECK(view(world).progress.err.rfind("NotFound", 0) == 0);
  CHECK(world.phase("b") == BackupPhase::partially_failed);
}

TEST_CASE("uploadTimeout counts from the last progress, cancels, then fails") {
  ControllerSettings settings;
  settings.upload_timeout = minutes(30);
  World world(settings);
  REQUIRE(world.create("b", SealMode::manual, {"paths/a"}));
  REQUIRE(world.seal("b"));
  world.connect();
  auto report = running(1, "b", "paths/a");
  world.report(report);
  world.advance(minutes(29));
  report.seq = 2;
  report.sample->completed = 11;
  world.report(report);
  world.advance(minutes(29));
  CHECK(world.desired(1) == DesiredAction::run);
  world.advance(minutes(1));
  CHECK(world.desired(1) == DesiredAction::cancel);
  SECTION("the mover answers") {
    world.report(ended(report, Outcome::canceled));
    CHECK(view(world).state == UploadState::failed);
    CHECK(view(world).progress.err == "no progress for 30m (uploadTimeout)");
  }
  SECTION("it does not") {
    world.advance(seconds(30));
    CHECK(view(world).state == UploadState::failed);
    CHECK(world.phase("b") == BackupPhase::partially_failed);
    CHECK(world.desired(1) == DesiredAction::cancel);
  }
  SECTION("it was done just then") {
    world.report(ended(report, Outcome::durable));
    CHECK(view(world).state == UploadState::completed);
  }
}

TEST_CASE("a backup nobody touches is sealed as failed: after sealTimeout, or a day if automatic") {
  ControllerSettings settings;
  settings.seal_timeout = hours(2);
  World world(settings);
  REQUIRE(world.create("b"));
  REQUIRE(world.create("empty", SealMode::auto_));
  world.advance(minutes(119));
  REQUIRE(world.add("b", "paths/a"));
  world.advance(minutes(119));
  CHECK(world.phase("b") == BackupPhase::in_progress);
  world.advance(minutes(1));
  CHECK(world.phase("b") == BackupPhase::failed);
  CHECK(world.backup("b").errors.size() == 1);
  CHECK(world.phase("empty") == BackupPhase::in_progress);
  world.advance(hours(21));
  CHECK(world.phase("empty") == BackupPhase::failed);
}

TEST_CASE("a backup from Velero settles later than others") {
  World world;
  CreateBackupCall create;
  create.name = "b";
  create.seal = SealMode::auto_;
  create.source = BackupSource::velero;
  create.items = {{"paths/a", "", "", 0, ""}};
  REQUIRE(world.call(create));
  world.connect();
  world.report(ended(running(1, "b", "paths/a"), Outcome::durable));
  world.advance(seconds(119));
  CHECK(world.phase("b") == BackupPhase::uploading);
  world.advance(seconds(1));
  CHECK(world.phase("b") == BackupPhase::completed);
}

TEST_CASE("what is over is deleted after keepBackups, its tombstone after keepTombstones") {
  World world;
  REQUIRE(world.create("b"));
  REQUIRE(world.seal("b", SealOutcome::ok, true));
  world.advance(hours(24 * 90) - seconds(1));
  CHECK(world.phase("b") == BackupPhase::completed);
  world.advance(seconds(1));
  const auto gone = get_backup(world.state, "b");
  REQUIRE_FALSE(gone.has_value());
  CHECK(gone.error().error.code == ErrorCode::gone);
  CHECK(gone.error().deleted_at.has_value());
  world.advance(hours(24 * 30));
  CHECK(get_backup(world.state, "b").error().error.code == ErrorCode::not_found);
  CHECK(world.stored.tombstones().empty());
}

TEST_CASE("after a restart a timer has max(remaining, min(2 min, whole)) left") {
  CHECK(remaining_after_restart(minutes(10), minutes(15)) == minutes(10));
  CHECK(remaining_after_restart(seconds(3), minutes(15)) == minutes(2));
  CHECK(remaining_after_restart(seconds(3), seconds(10)) == seconds(10));
  CHECK(remaining_after_restart(minutes(20), minutes(15)) == minutes(20));
}

TEST_CASE("a restart keeps what remained, and gives everybody two minutes to speak") {
  World world;
  REQUIRE(world.create("b", SealMode::manual, {"paths/a"}));
  REQUIRE(world.seal("b"));
  world.advance(minutes(5));
  world.restart(hours(3));
  world.advance(minutes(9));
  CHECK(view(world).state == UploadState::pending);
  world.advance(minutes(2));
  CHECK(view(world).state == UploadState::failed);
}

TEST_CASE("an outage longer than lostAfter fails nobody") {
  World world;
  REQUIRE(world.create("b", SealMode::manual, {"paths/a"}));
  REQUIRE(world.seal("b"));
  world.connect();
  const auto report = running(1, "b", "paths/a");
  world.report(lost(report));
  world.restart(hours(5));
  CHECK(view(world).state == UploadState::lost);
  world.advance(seconds(119));
  world.connect();
  world.full_state({report});
  CHECK(view(world).state == UploadState::running);
  world.report(ended(report, Outcome::durable));
  CHECK(world.phase("b") == BackupPhase::completed);
}

TEST_CASE("a timer is moved, found by its deadline, and taken once") {
  Timers timers;
  timers.arm({TimerKind::attach, "u"}, TimePoint(seconds(5)));
  timers.arm({TimerKind::attach, "u"}, TimePoint(seconds(9)));
  timers.arm({TimerKind::lost, "s"}, TimePoint(seconds(7)));
  CHECK(timers.next() == TimePoint(seconds(7)));
  const auto left = timers.remaining("u", upload_timers(), TimePoint(seconds(8)));
  REQUIRE(left.size() == 1);
  CHECK(left[0] == StoredTimer{TimerKind::attach, seconds(1)});
  CHECK(timers.take_due(TimePoint(seconds(8))) == std::vector<TimerKey>{{TimerKind::lost, "s"}});
  CHECK(timers.take_due(TimePoint(seconds(9))).size() == 1);
  CHECK_FALSE(timers.next().has_value());
}

}  // namespace
}  // namespace plimsoll::test
