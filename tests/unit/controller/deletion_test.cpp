// deletion_test.cpp - cancelling and deleting, level-triggered through restarts of anything.
#include <catch2/catch.hpp>

#include "tests/unit/controller/world.hpp"

namespace plimsoll::test {
namespace {

World uploading() {
  World world;
  REQUIRE(world.create("b", SealMode::manual, {"paths/a"}));
  REQUIRE(world.seal("b"));
  world.connect();
  world.report(running(1, "b", "paths/a"));
  return world;
}

ErrorCode get_code(const World& world, const std::string& name) {
  const auto found = get_backup(world.state, name);
  return found ? ErrorCode::internal : found.error().error.code;
}

std::string upload_id(const World& world) {
  return world.upload("b", "paths/a").id;
}

TEST_CASE("a cancel is told once committed, and again at every new session until it is answered") {
  auto world = uploading();
  world.hold_commits = true;
  (void)world.call(CancelUploadCall{upload_id(world), ""});
  CHECK(world.desired(1) == DesiredAction::run);
  world.hold_commits = false;
  world.finish_commit();
  CHECK(world.desired(1) == DesiredAction::cancel);
  world.restart();
  world.effects.clear();
  world.connect();
  CHECK(world.desired(1) == DesiredAction::cancel);
  world.report(ended(running(1, "b", "paths/a"), Outcome::canceled));
  CHECK(world.upload("b", "paths/a").view.state == UploadState::canceled);
  CHECK(world.upload("b", "paths/a").view.progress.err == "canceled");
  CHECK(world.phase("b") == BackupPhase::partially_failed);
  CHECK(world.desired(1) == DesiredAction::run);
}

TEST_CASE(
    "cancel before anyone reported is Canceled at once, and a later mover is told at first sight") {
  World world;
  REQUIRE(world.create("b", SealMode::manual, {"paths/a"}));
  REQUIRE(world.seal("b"));
  REQUIRE(world.call(CancelUploadCall{upload_id(world), ""}));
  CHECK(world.upload("b", "paths/a").view.state == UploadState::canceled);
  CHECK(world.phase("b") == BackupPhase::partially_failed);
  world.connect();
  auto late = running(1, "", "paths/a");
  late.identity->backup_uid = world.backup("b").uid;
  world.report(late);
  CHECK(world.desired(1) == DesiredAction::cancel);
}

TEST_CASE("a mover that was gone before the cancel reached it is canceled, not failed") {
  auto world = uploading();
  REQUIRE(world.call(CancelUploadCall{upload_id(world), ""}));
  world.report(lost(running(1, "b", "paths/a")));
  CHECK(world.upload("b", "paths/a").view.progress.err == "canceled: gone after a cancel");
}

TEST_CASE("a durable record committed before the cancel wins") {
  auto world = uploading();
  world.report(ended(running(1, "b", "paths/a"), Outcome::durable));
  REQUIRE(world.call(CancelUploadCall{upload_id(world), ""}));
  CHECK(world.phase("b") == BackupPhase::completed);
}

TEST_CASE("cancelling a backup cancels what is not over") {
  World world;
  REQUIRE(world.create("b", SealMode::manual, {"paths/a", "paths/b"}));
  REQUIRE(world.seal("b"));
  world.connect();
  world.report(ended(running(1, "b", "paths/a"), Outcome::durable));
  world.report(running(2, "b", "paths/b"));
  REQUIRE(world.call(CancelBackupCall{"b", ""}));
  CHECK(world.desired(2) == DesiredAction::cancel);
  CHECK(world.upload("b", "paths/a").view.state == UploadState::completed);
  world.report(ended(running(2, "b", "paths/b"), Outcome::canceled));
  CHECK(world.phase("b") == BackupPhase::partially_failed);
}

TEST_CASE("a deleted backup is Deleting until its mover has answered, then gone") {
  auto world = uploading();
  const auto deleted = world.call(DeleteBackupCall{"b"});
  REQUIRE(why(deleted) == "");
  CHECK(deleted->kind == AnswerKind::accepted);
  CHECK(world.phase("b") == BackupPhase::deleting);
  CHECK(world.backup("b").left_behind.size() == 1);
  CHECK(world.desired(1) == DesiredAction::cancel);
  CHECK(world.call(DeleteBackupCall{"b"}));
  world.report(ended(running(1, "b", "paths/a"), Outcome::canceled));
  CHECK(get_code(world, "b") == ErrorCode::gone);
  CHECK(world.call(DeleteBackupCall{"b"}));
  CHECK(world.stored.uploads().empty());
  CHECK(world.stored.attempts().empty());
  CHECK(world.create("b"));
}

TEST_CASE("a durable end of a deleted backup's mover does not make it Completed") {
  auto world = uploading();
  REQUIRE(world.call(DeleteBackupCall{"b"}));
  world.report(ended(running(1, "b", "paths/a"), Outcome::durable));
  CHECK(get_code(world, "b") == ErrorCode::gone);
}

TEST_CASE(
    "deletion does not hang on a mover: after cancelTimeout it is left behind, still "
    "wanted-cancelled") {
  auto world = uploading();
  REQUIRE(world.call(DeleteBackupCall{"b"}));
  world.disconnect();
  world.advance(seconds(30));
  CHECK(get_code(world, "b") == ErrorCode::gone);
  REQUIRE(world.stored.tombstones().size() == 1);
  const auto& grave = world.stored.tombstones().begin()->second;
  REQUIRE(grave.left_behind.size() == 1);
  CHECK_FALSE(grave.left_behind[0].answered);

  world.restart(hours(10));
  world.effects.clear();
  world.connect();
  CHECK(world.desired(1) == DesiredAction::cancel);
  world.full_state({running(1, "b", "paths/a")});
  REQUIRE(world.sent<Ack>().back().refused.size() == 1);
  CHECK(world.sent<Ack>().back().refused[0].code == ReportCode::tombstone);
  world.report(ended(running(1, "b", "paths/a"), Outcome::canceled));
  CHECK(world.desired(1) == DesiredAction::forget);
  CHECK(world.stored.tombstones().begin()->second.left_behind[0].answered);
  CHECK(world.stored.attempts().empty());
}

TEST_CASE("a mover that starts for a deleted backup is told to stop") {
  World world;
  const auto created = world.create("b", SealMode::manual, {"paths/a"});
  REQUIRE(created);
  REQUIRE(world.call(DeleteBackupCall{"b"}));
  world.connect();
  auto report = running(1, "b", "paths/a");
  report.identity->backup_uid = created->backup->uid;
  world.report(report);
  CHECK(world.desired(1) == DesiredAction::cancel);
  CHECK(world.sent<Ack>().back().refused[0].code == ReportCode::tombstone);
}

TEST_CASE("what is over is deleted at once, and its segments are forgotten") {
  auto world = uploading();
  world.report(ended(running(1, "b", "paths/a"), Outcome::durable));
  REQUIRE(world.phase("b") == BackupPhase::completed);
  REQUIRE(world.call(DeleteBackupCall{"b"}));
  CHECK(get_code(world, "b") == ErrorCode::gone);
  CHECK(world.desired(1) == DesiredAction::forget);
}

TEST_CASE("a deletion goes on after a restart") {
  auto world = uploading();
  REQUIRE(world.call(DeleteBackupCall{"b"}));
  world.restart();
  CHECK(world.phase("b") == BackupPhase::deleting);
  world.advance(seconds(30));
  CHECK(get_code(world, "b") == ErrorCode::gone);
}

TEST_CASE("a full set of wishes is split into frames, marked first and last") {
  World world;
  CreateBackupCall create;
  create.name = "b";
  for (int i = 0; i < 4000; ++i)
    create.items.push_back({"paths/" + std::to_string(i), "", "", 0, ""});
  REQUIRE(world.call(create));
  world.connect();
  std::vector<Report> reports;
  for (int i = 0; i < 4000; ++i)
    reports.push_back(
        running(static_cast<std::uint64_t>(i) + 1, "b", "paths/" + std::to_string(i)));
  world.full_state(reports);
  REQUIRE(world.call(CancelBackupCall{"b", ""}));
  world.effects.clear();
  world.connect();
  const auto frames = world.sent<Desired>();
  REQUIRE(frames.size() == 2);
  CHECK(frames[0].reset);
  CHECK_FALSE(frames[0].last);
  CHECK_FALSE(frames[1].reset);
  CHECK(frames[1].last);
  CHECK(frames[0].entries.size() + frames[1].entries.size() == 4000);
}

}  // namespace
}  // namespace plimsoll::test
