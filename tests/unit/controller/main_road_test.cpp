// main_road_test.cpp - a backup from its creation to its end, as movers report.
#include <catch2/catch.hpp>

#include "tests/unit/controller/world.hpp"

namespace plimsoll::test {
namespace {

TEST_CASE("a sealed backup is Completed only once every upload is durable") {
  World world;
  REQUIRE(world.create("nightly", SealMode::manual, {"paths/a", "paths/b"}));
  CHECK(world.phase("nightly") == BackupPhase::in_progress);
  world.connect();
  const auto a = running(1, "nightly", "paths/a");
  const auto b = running(2, "nightly", "paths/b");
  world.report(a);
  world.report(ended(a, Outcome::durable));
  REQUIRE(world.seal("nightly"));
  CHECK(world.phase("nightly") == BackupPhase::uploading);
  world.report(b);
  CHECK(world.phase("nightly") == BackupPhase::uploading);
  world.report(ended(b, Outcome::durable));
  CHECK(world.phase("nightly") == BackupPhase::completed);
  const auto upload = world.upload("nightly", "paths/b");
  CHECK(upload.view.state == UploadState::completed);
  CHECK(upload.view.progress.items_completed == 100);
  CHECK(upload.view.progress.items_to_complete == 100);
  CHECK(upload.view.progress.err.empty());
  CHECK(upload.view.stored_as == "ae5a0e22");
}

TEST_CASE("all bytes sent is not durable") {
  World world;
  REQUIRE(world.create("nightly", SealMode::manual, {"paths/a"}));
  REQUIRE(world.seal("nightly"));
  world.connect();
  auto report = running(1, "nightly", "paths/a");
  report.sample->completed = 100;
  world.report(report);
  CHECK(world.phase("nightly") == BackupPhase::uploading);
}

TEST_CASE("one failed upload is remembered: the end is PartiallyFailed, after all the others") {
  World world;
  REQUIRE(world.create("nightly", SealMode::manual, {"paths/a", "paths/b"}));
  REQUIRE(world.seal("nightly"));
  world.connect();
  world.report(ended(running(1, "nightly", "paths/a"), Outcome::failed, "disk on fire"));
  CHECK(world.phase("nightly") == BackupPhase::uploading_partial_failure);
  world.report(ended(running(2, "nightly", "paths/b"), Outcome::durable));
  CHECK(world.phase("nightly") == BackupPhase::partially_failed);
  const auto backup = world.backup("nightly");
  REQUIRE(backup.errors.size() == 1);
  CHECK(backup.errors[0].source == "paths/a");
  CHECK(backup.errors[0].text == "disk on fire");
}

TEST_CASE("a failure before the seal makes it UploadingPartialFailure at the seal") {
  World world;
  REQUIRE(world.create("nightly", SealMode::manual, {"paths/a", "paths/b"}));
  world.connect();
  world.report(ended(running(1, "nightly", "paths/a"), Outcome::failed, "no"));
  CHECK(world.phase("nightly") == BackupPhase::in_progress);
  REQUIRE(world.seal("nightly"));
  CHECK(world.phase("nightly") == BackupPhase::uploading_partial_failure);
}

TEST_CASE("uploads that all were canceled, or incomplete, are a partial failure") {
  const auto outcome = GENERATE(Outcome::canceled, Outcome::incomplete);
  World world;
  REQUIRE(world.create("nightly", SealMode::manual, {"paths/a"}));
  REQUIRE(world.seal("nightly"));
  world.connect();
  world.report(ended(running(1, "nightly", "paths/a"), outcome, ""));
  CHECK(world.phase("nightly") == BackupPhase::partially_failed);
  const auto err = world.upload("nightly", "paths/a").view.progress.err;
  CHECK(err.rfind(std::string(word(outcome)), 0) == 0);
}

TEST_CASE("a seal partial with everything durable ends PartiallyFailed at once") {
  World world;
  REQUIRE(world.create("nightly", SealMode::manual, {"paths/a"}));
  world.connect();
  world.report(ended(running(1, "nightly", "paths/a"), Outcome::durable));
  const auto sealed =
      world.call(SealCall{"nightly", SealOutcome::partial, {"pvc x: no snapshot"}, false});
  REQUIRE(sealed);
  CHECK(sealed->backup->phase == BackupPhase::partially_failed);
  CHECK(sealed->backup->errors.size() == 1);
}

TEST_CASE("an automatic backup is Uploading from its first item, and over when it has settled") {
  World world;
  REQUIRE(world.add("nightly", "paths/a", CreateMode::auto_));
  CHECK(world.phase("nightly") == BackupPhase::uploading);
  world.connect();
  world.report(ended(running(1, "nightly", "paths/a"), Outcome::durable));
  CHECK(world.phase("nightly") == BackupPhase::uploading);
  world.advance(seconds(9));
  REQUIRE(why(world.add("nightly", "paths/b", CreateMode::auto_)) == "");
  world.advance(seconds(30));
  CHECK(world.phase("nightly") == BackupPhase::uploading);
  world.report(ended(running(2, "nightly", "paths/b"), Outcome::durable));
  CHECK(world.phase("nightly") == BackupPhase::completed);
}

TEST_CASE("what is over never changes, whatever is reported later") {
  World world;
  REQUIRE(world.create("nightly", SealMode::manual, {"paths/a"}));
  REQUIRE(world.seal("nightly"));
  world.connect();
  const auto a = running(1, "nightly", "paths/a");
  world.report(ended(a, Outcome::failed, "no"));
  REQUIRE(world.phase("nightly") == BackupPhase::partially_failed);
  world.report(ended(a, Outcome::durable));
  world.report(ended(running(2, "nightly", "paths/a"), Outcome::durable));
  CHECK(world.phase("nightly") == BackupPhase::partially_failed);
  CHECK(world.upload("nightly", "paths/a").view.state == UploadState::failed);
}

TEST_CASE("a failed seal ends it; its uploads are neither polled nor cancelled") {
  World world;
  REQUIRE(world.create("nightly", SealMode::manual, {"paths/a"}));
  world.connect();
  world.report(running(1, "nightly", "paths/a"));
  REQUIRE(world.seal("nightly", SealOutcome::failed));
  CHECK(world.phase("nightly") == BackupPhase::failed);
  CHECK(world.desired(1) == DesiredAction::run);
  world.report(ended(running(1, "nightly", "paths/a"), Outcome::durable));
  CHECK(world.phase("nightly") == BackupPhase::failed);
}

TEST_CASE("numbers go to the end: success without last numbers is total of total") {
  World world;
  REQUIRE(world.create("b", SealMode::manual, {"paths/a"}));
  REQUIRE(world.seal("b"));
  world.connect();
  auto report = running(1, "b", "paths/a");
  report.sample->completed = 74;
  world.report(report);
  report = ended(report, Outcome::durable);
  report.terminal->completed = 0;
  report.terminal->total = 0;
  report.sample.reset();
  world.report(report);
  CHECK(world.upload("b", "paths/a").view.progress.items_completed == 100);
}

}  // namespace
}  // namespace plimsoll::test
