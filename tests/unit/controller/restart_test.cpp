// restart_test.cpp - what survives the controller's end at any instant, and what clients see.
#include <catch2/catch.hpp>

#include "tests/unit/controller/world.hpp"

namespace plimsoll::test {
namespace {

TEST_CASE("a restart in the middle loses nothing that was acknowledged") {
  World world;
  REQUIRE(world.create("b", SealMode::manual, {"paths/a", "paths/b", "paths/c"}));
  REQUIRE(world.seal("b"));
  world.connect();
  world.report(ended(running(1, "b", "paths/a"), Outcome::failed, "no"));
  world.report(ended(running(2, "b", "paths/b"), Outcome::durable));
  const auto c = running(3, "b", "paths/c");
  world.report(c);
  world.restart();
  CHECK(world.phase("b") == BackupPhase::uploading_partial_failure);
  CHECK(world.upload("b", "paths/b").view.state == UploadState::completed);
  CHECK(world.upload("b", "paths/c").view.progress.items_completed == 10);
  world.connect();
  world.full_state({ended(running(1, "b", "paths/a"), Outcome::failed, "no"),
                    ended(running(2, "b", "paths/b"), Outcome::durable), c});
  world.report(ended(c, Outcome::durable));
  CHECK(world.phase("b") == BackupPhase::partially_failed);
}

TEST_CASE("what was not committed is not acknowledged, and comes again") {
  World world;
  REQUIRE(world.create("b", SealMode::manual, {"paths/a"}));
  REQUIRE(world.seal("b"));
  world.connect();
  world.hold_commits = true;
  world.report(ended(running(1, "b", "paths/a"), Outcome::durable));
  CHECK(world.sent<Ack>().empty());
  CHECK(world.phase("b") == BackupPhase::uploading);
  world.hold_commits = false;
  world.restart();
  CHECK(world.phase("b") == BackupPhase::uploading);
  world.connect();
  world.full_state({ended(running(1, "b", "paths/a"), Outcome::durable)});
  CHECK(world.phase("b") == BackupPhase::completed);
}

TEST_CASE("a snapshot run of the controller that a restart cut off is Failed, uploads go on") {
  World world;
  REQUIRE(world.create("run", SealMode::manual, {"paths/a"}));
  REQUIRE(world.create("persons", SealMode::manual, {"paths/a"}));
  auto cut = *world.stored.backup(world.backup("run").uid);
  cut.run_by_controller = true;
  world.stored.put(cut);
  world.restart();
  world.tick();
  CHECK(world.phase("run") == BackupPhase::failed);
  CHECK(world.phase("persons") == BackupPhase::in_progress);
  world.restart();
  CHECK(world.phase("run") == BackupPhase::failed);
}

TEST_CASE("lists are in order and come in pages") {
  World world;
  for (const auto* name : {"c", "a", "b"})
    REQUIRE(world.create(name, SealMode::manual, {"paths/1", "paths/2"}));
  BackupQuery query;
  query.limit = 2;
  const auto first = list_backups(world.state, query);
  REQUIRE(first.items.size() == 2);
  CHECK(first.items[0].name == "a");
  query.after = first.next;
  const auto second = list_backups(world.state, query);
  REQUIRE(second.items.size() == 1);
  CHECK(second.items[0].name == "c");
  CHECK(second.next.empty());
  UploadQuery uploads;
  uploads.backup = "b";
  uploads.limit = 1;
  const auto one = list_uploads(world.state, uploads, world.now);
  REQUIRE(one.items.size() == 1);
  uploads.after = one.next;
  CHECK(list_uploads(world.state, uploads, world.now).items.size() == 1);
  query = {};
  query.phase = BackupPhase::uploading;
  CHECK(list_backups(world.state, query).items.empty());
}

TEST_CASE("a backup's document counts states and adds up what is known") {
  World world;
  REQUIRE(world.create("b", SealMode::manual, {"paths/a", "paths/b"}));
  world.connect();
  auto report = running(1, "b", "paths/a");
  report.rate = 9;
  world.report(report);
  auto document = world.backup("b");
  CHECK(document.counts.at(static_cast<std::size_t>(UploadState::running)) == 1);
  CHECK(document.counts.at(static_cast<std::size_t>(UploadState::pending)) == 1);
  CHECK(document.totals.items_completed == 10);
  CHECK_FALSE(document.totals.items_to_complete.has_value());
  CHECK(document.totals.unknown == 1);
  CHECK(document.items.size() == 2);
  world.report(running(2, "b", "paths/b"));
  document = world.backup("b");
  CHECK(document.totals.items_to_complete == 200);
  CHECK(document.totals.eta_seconds == 20);
}

TEST_CASE("percentages are never added to bytes") {
  World world;
  REQUIRE(world.create("b", SealMode::manual, {"paths/a", "paths/b"}));
  world.connect();
  auto report = running(1, "b", "paths/a");
  report.identity->units = "percent";
  world.report(report);
  world.report(running(2, "b", "paths/b"));
  const auto totals = world.backup("b").totals;
  CHECK(totals.items_completed == 10);
  CHECK(totals.unknown == 1);
}

TEST_CASE("nodes are listed with what runs there") {
  World world;
  REQUIRE(world.create("b", SealMode::manual, {"paths/a"}));
  world.connect();
  world.report(running(1, "b", "paths/a"));
  const auto nodes = list_nodes(world.state, world.now);
  REQUIRE(nodes.size() == 1);
  CHECK(nodes[0].name == "n1");
  CHECK(nodes[0].session == 1);
  CHECK(nodes[0].uploads == 1);
  CHECK(nodes[0].freshness == Freshness::live);
}

TEST_CASE("every commit names what it changed, for watch streams") {
  World world;
  REQUIRE(world.create("b", SealMode::manual, {"paths/a"}));
  const auto uid = world.backup("b").uid;
  const auto id = world.upload("b", "paths/a").id;
  world.connect();
  world.effects.clear();
  world.report(running(1, "b", "paths/a"));
  const Changed* changed = nullptr;
  for (const auto& effect : world.effects)
    if (const auto* one = std::get_if<Changed>(&effect)) changed = one;
  REQUIRE(changed != nullptr);
  CHECK(changed->uploads == std::vector<std::string>{id});
  CHECK(changed->backups == std::vector<std::string>{uid});
  world.effects.clear();
  REQUIRE(world.seal("b", SealOutcome::failed));
  REQUIRE(world.call(DeleteBackupCall{"b"}));
  for (const auto& effect : world.effects)
    if (const auto* one = std::get_if<Changed>(&effect)) changed = one;
  REQUIRE(changed->deleted_backups.size() == 1);
  CHECK(changed->deleted_backups[0].name == "b");
  REQUIRE(changed->deleted_uploads.size() == 1);
  CHECK(changed->deleted_uploads[0].id == id);
}

}  // namespace
}  // namespace plimsoll::test
