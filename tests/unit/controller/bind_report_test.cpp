// bind_report_test.cpp - which upload a segment belongs to: decided once, never guessed.
#include <catch2/catch.hpp>

#include "tests/unit/controller/world.hpp"

namespace plimsoll::test {
namespace {

ApiResult add_with(World& world, const std::string& item, const std::string& snapshot,
                   const std::string& volume = "") {
  AddItemCall add;
  add.backup = "b";
  add.item = {item, snapshot, volume, 0, ""};
  return world.call(add);
}

const AttemptRecord& stored(const World& world, std::uint64_t number) {
  const auto* attempt = world.stored.attempt(segment(number));
  REQUIRE(attempt != nullptr);
  return *attempt;
}

std::string orphan_reason(const World& world, std::uint64_t number) {
  CHECK(stored(world, number).upload_id.empty());
  return stored(world, number).orphan_reason;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

World with_items() {
  World world;
  REQUIRE(world.create("b"));
  REQUIRE(add_with(world, "paths/a", "snap-a", "vol-a"));
  REQUIRE(add_with(world, "paths/b", "snap-b", "vol-b"));
  world.connect();
  return world;
}

TEST_CASE("a report is matched by backup and item, snapshot ID, or volume ID") {
  auto world = with_items();
  auto by_item = running(1, "b", "paths/a");
  auto by_snapshot = running(2, "b", "");
  by_snapshot.identity->snapshot_id = "snap-b";
  auto by_snapshot_alone = running(3, "", "");
  by_snapshot_alone.identity->snapshot_id = "snap-a";
  auto by_volume = running(4, "b", "");
  by_volume.identity->volume_id = "vol-b";
  auto by_uid = running(5, "", "paths/a");
  by_uid.identity->backup_uid = world.backup("b").uid;
  world.full_state({by_item, by_snapshot, by_snapshot_alone, by_volume, by_uid});
  const auto a = world.upload("b", "paths/a").id;
  const auto b = world.upload("b", "paths/b").id;
  CHECK(stored(world, 1).upload_id == a);
  CHECK(stored(world, 2).upload_id == b);
  CHECK(stored(world, 3).upload_id == a);
  CHECK(stored(world, 4).upload_id == b);
  CHECK(stored(world, 5).upload_id == a);
}

TEST_CASE("contradicting ids make an orphan with the reason") {
  auto world = with_items();
  auto snapshot = running(1, "b", "paths/a");
  snapshot.identity->snapshot_id = "snap-b";
  auto other = running(2, "b", "paths/a");
  other.identity->snapshot_id = "snap-x";
  auto volume = running(3, "b", "paths/a");
  volume.identity->volume_id = "vol-x";
  auto uid = running(4, "other", "paths/a");
  uid.identity->backup_uid = world.backup("b").uid;
  world.full_state({snapshot, other, volume, uid});
  CHECK(says(orphan_reason(world, 1), "paths/b"));
  CHECK(says(orphan_reason(world, 2), "another snapshot"));
  CHECK(says(orphan_reason(world, 3), "another volume"));
  CHECK(says(orphan_reason(world, 4), "belongs to"));
  CHECK(world.sent<Ack>().back().refused.empty());
}

TEST_CASE("a snapshot ID in two backups is ambiguous unless the backup is named") {
  auto world = with_items();
  REQUIRE(world.create("c"));
  AddItemCall add;
  add.backup = "c";
  add.item = {"paths/z", "snap-a", "", 0, ""};
  REQUIRE(world.call(add));
  auto alone = running(1, "", "");
  alone.identity->snapshot_id = "snap-a";
  auto named = running(2, "c", "");
  named.identity->snapshot_id = "snap-a";
  world.full_state({alone, named});
  CHECK(says(orphan_reason(world, 1), "2 uploads"));
  CHECK(stored(world, 2).upload_id == world.upload("c", "paths/z").id);
}

TEST_CASE("an orphan is acknowledged, shown, and adopted when its backup or item appears") {
  World world;
  world.connect();
  auto report = running(1, "b", "paths/a");
  report.events = {{Severity::info, "hello", 5}};
  world.report(report);
  CHECK(says(orphan_reason(world, 1), "no backup 'b'"));
  CHECK(world.sent<Ack>().back().refused.empty());
  UploadQuery query;
  query.orphans = true;
  REQUIRE(list_uploads(world.state, query, world.now).items.size() == 1);
  const auto shown = list_uploads(world.state, query, world.now).items[0];
  CHECK(shown.id == to_hex(segment(1)).substr(0, 16));
  CHECK(shown.item == "paths/a");
  CHECK(get_upload(world.state, shown.id, world.now));

  REQUIRE(world.create("b"));
  CHECK(says(orphan_reason(world, 1), "no item"));
  REQUIRE(world.add("b", "paths/a"));
  CHECK(stored(world, 1).upload_id == world.upload("b", "paths/a").id);
  CHECK(list_uploads(world.state, query, world.now).items.empty());
  CHECK(world.upload("b", "paths/a").view.progress.items_completed == 10);
  world.report(ended(report, Outcome::durable));
  REQUIRE(world.seal("b"));
  CHECK(world.phase("b") == BackupPhase::completed);
}

TEST_CASE("orphans are bounded; one without room is refused, so that its segment stays") {
  ControllerSettings settings;
  settings.limits.orphans = 1;
  World world(settings);
  world.connect();
  world.report(running(1, "x", "paths/a"));
  world.report(running(2, "y", "paths/a"));
  REQUIRE(world.sent<Ack>().back().refused.size() == 1);
  CHECK(world.sent<Ack>().back().refused[0].code == ReportCode::orphan);
  CHECK(world.stored.attempt(segment(2)) == nullptr);
}

TEST_CASE("an orphan is kept for keepOrphans after its end") {
  World world;
  world.connect();
  world.report(running(1, "x", "paths/a"));
  world.advance(hours(48));
  CHECK(world.stored.attempt(segment(1)) != nullptr);
  world.report(ended(running(1, "x", "paths/a"), Outcome::durable));
  world.advance(hours(23));
  CHECK(world.stored.attempt(segment(1)) != nullptr);
  world.advance(hours(1));
  CHECK(world.stored.attempt(segment(1)) == nullptr);
}

TEST_CASE(
    "a mover that began before the backup does not count for it unless its item was added since") {
  World world;
  REQUIRE(world.create("b", SealMode::manual, {"paths/old"}));
  world.connect();
  auto old = running(1, "b", "paths/new");
  old.age_ms = 60'000;
  world.report(old);
  CHECK(says(orphan_reason(world, 1), "before backup"));
  world.advance(seconds(1));
  REQUIRE(world.add("b", "paths/new"));
  CHECK(stored(world, 1).upload_id == world.upload("b", "paths/new").id);
}

TEST_CASE("a mover ten seconds older than the backup still belongs to it") {
  World world;
  world.connect();
  REQUIRE(world.create("b"));
  auto report = running(1, "b", "paths/a");
  report.age_ms = 10'000;
  world.report(report);
  CHECK(says(orphan_reason(world, 1), "no item"));
}

TEST_CASE("a new backup of a deleted one's name does not get the old one's movers") {
  World world;
  REQUIRE(world.create("b", SealMode::manual, {"paths/a"}));
  world.advance(seconds(60));
  REQUIRE(world.call(DeleteBackupCall{"b"}));
  REQUIRE(world.create("b", SealMode::manual, {"paths/a"}));
  world.connect();
  auto old = running(1, "b", "paths/a");
  old.age_ms = 30'000;
  world.report(old);
  CHECK(says(orphan_reason(world, 1), "deleted after"));
  world.advance(seconds(5));
  auto young = running(2, "b", "paths/a");
  young.age_ms = 1'000;
  world.report(young);
  CHECK(stored(world, 2).upload_id == world.upload("b", "paths/a").id);
}

TEST_CASE("a mover no call was answered for makes backup and item itself") {
  World world;
  world.connect();
  auto report = running(1, "nightly", "paths/a");
  report.identity->auto_backup = true;
  world.report(report);
  CHECK(world.phase("nightly") == BackupPhase::uploading);
  CHECK(world.backup("nightly").owner_uid == 1000);
  CHECK(world.backup("nightly").source == BackupSource::run);
  auto second = running(2, "nightly", "paths/b");
  second.identity->auto_backup = true;
  world.report(second);
  CHECK(world.backup("nightly").totals.uploads == 2);
  world.report(ended(report, Outcome::durable));
  world.report(ended(second, Outcome::durable));
  world.advance(seconds(10));
  CHECK(world.phase("nightly") == BackupPhase::completed);

  auto third = running(3, "nightly", "paths/a");
  third.identity->auto_backup = true;
  world.report(third);
  const auto backups = list_backups(world.state, {}).items;
  REQUIRE(backups.size() == 2);
  CHECK(backups[1].name == "nightly-20261201t000010z");
  CHECK(world.phase("nightly") == BackupPhase::completed);
}

TEST_CASE("a sealed backup that is not over takes no item from a mover") {
  World world;
  REQUIRE(world.create("b", SealMode::manual, {"paths/a"}));
  REQUIRE(world.seal("b"));
  world.connect();
  auto report = running(1, "b", "paths/b");
  report.identity->auto_backup = true;
  world.report(report);
  CHECK(says(orphan_reason(world, 1), "sealed"));
}

TEST_CASE("a segment once bound stays bound") {
  auto world = with_items();
  world.report(running(1, "b", "paths/a"));
  auto changed = running(1, "b", "paths/b");
  changed.seq = 9;
  world.report(changed);
  CHECK(stored(world, 1).upload_id == world.upload("b", "paths/a").id);
}

}  // namespace
}  // namespace plimsoll::test
