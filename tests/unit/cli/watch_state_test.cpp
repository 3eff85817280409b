// watch_state_test.cpp - what watch knows, over reconnections.
#include "cli/watch/watch_state.hpp"

#include <catch2/catch.hpp>

#include "cli/render_plain.hpp"
#include "rows.hpp"

using namespace plimsoll;
using namespace plimsoll::cli;
using nlohmann::json;

namespace {

const WatchEvent kSynced = {"BOOKMARK", {{"synced", true}}};

WatchEvent added(const json& document) {
  return {"ADDED", document};
}

json running(const std::string& id, const std::string& item, std::int64_t done) {
  return upload_document(id, item, "Running", {{"itemsCompleted", done}});
}

json backup_in(const std::string& phase) {
  return backup_document("nightly", phase, {{"Running", 1}}, {{"uploads", 1}});
}

WatchState connected() {
  WatchState state({}, true);
  state.begin(Stream::uploads);
  state.begin(Stream::backups);
  (void)state.apply(Stream::uploads, added(running("u1", "paths/a", 1)));
  (void)state.apply(Stream::backups, added(backup_in("Uploading")));
  (void)state.apply(Stream::uploads, kSynced);
  (void)state.apply(Stream::backups, kSynced);
  return state;
}

}  // namespace

TEST_CASE("only changes of state are told, numbers are kept silently") {
  auto state = connected();
  CHECK(state.apply(Stream::uploads, {"MODIFIED", running("u1", "paths/a", 7)}).empty());
  CHECK(state.uploads().at(0).done == 7);
  const auto changes =
      state.apply(Stream::uploads, {"MODIFIED", upload_document("u1", "paths/a", "Lost")});
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].upload.state_word == "Lost");
}

TEST_CASE("what went away while the connection was down is told as gone") {
  auto state = connected();
  state.lose(Stream::uploads, "broken", noon());
  REQUIRE(state.outage());
  CHECK(state.uploads().size() == 1);  // kept while nobody answers
  state.begin(Stream::uploads);
  const auto changes = state.apply(Stream::uploads, kSynced);
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].kind == WatchChange::Kind::upload_gone);
  CHECK(state.uploads().empty());
  CHECK_FALSE(state.outage());
}

TEST_CASE("an outage counts from its first failure") {
  auto state = connected();
  state.lose(Stream::backups, "first", noon());
  state.lose(Stream::backups, "second", noon() + seconds(5));
  CHECK(state.outage()->since == noon());
}

TEST_CASE("all is over only when it was seen, and every backup shown has ended") {
  WatchState fresh({}, true);
  CHECK_FALSE(fresh.all_over());
  auto state = connected();
  CHECK_FALSE(state.all_over());
  (void)state.apply(Stream::backups, {"MODIFIED", backup_in("PartiallyFailed")});
  CHECK(state.all_over());  // its uploads can change nothing any more
}

TEST_CASE("the last word on an upload is waited for although its backup is over already") {
  auto state = connected();
  (void)state.apply(Stream::backups,
                    {"MODIFIED", backup_document("nightly", "Failed", {{"Failed", 1}},
                                                 {{"uploads", 1}, {"uploadsOver", 1}})});
  CHECK(state.all_over());
  CHECK_FALSE(state.caught_up());
  (void)state.apply(Stream::uploads, {"MODIFIED", upload_document("u1", "paths/a", "Failed")});
  CHECK(state.caught_up());
}

TEST_CASE("what ended before we looked is not shown, what ends while we look is") {
  WatchState state({}, true);
  state.begin(Stream::backups);
  state.begin(Stream::uploads);
  CHECK(state.apply(Stream::backups, added(backup_in("Completed"))).empty());
  (void)state.apply(Stream::backups, kSynced);
  (void)state.apply(Stream::uploads, kSynced);
  CHECK(state.backups().empty());
  auto other = connected();
  (void)other.apply(Stream::backups, {"MODIFIED", backup_in("Completed")});
  CHECK(other.backups().size() == 1);
}

TEST_CASE("named backups are shown however they stand, and no others") {
  WatchState state({"nightly"}, true);
  state.begin(Stream::backups);
  (void)state.apply(Stream::backups, added(backup_in("Completed")));
  (void)state.apply(Stream::backups,
                    added(backup_document("weekly", "Uploading", json::object(), json::object())));
  REQUIRE(state.backups().size() == 1);
  CHECK(state.backups()[0].name == "nightly");
}

TEST_CASE("with an agent alone, sums are made of its uploads and have no phase") {
  WatchState state({}, false);
  state.begin(Stream::uploads);
  (void)state.apply(Stream::uploads, added(running("u1", "paths/a", 5)));
  (void)state.apply(Stream::uploads, added(running("u2", "paths/b", 6)));
  (void)state.apply(Stream::uploads, kSynced);
  CHECK(state.synced());
  const auto sums = state.backups();
  REQUIRE(sums.size() == 1);
  CHECK(sums[0].phase_word.empty());
  CHECK(sums[0].uploads == 2);
  CHECK(sums[0].unknown == 2);
  CHECK(sums[0].done == 11);
}

TEST_CASE("plain lines have time, word, name and then pairs; blanks are quoted") {
  auto row = sample_uploads()[3];
  WatchChange change;
  change.kind = WatchChange::Kind::upload;
  change.upload = row;
  CHECK(
      plain_change(change, noon()) ==
      "12:00:00Z LOST       persistentvolumeclaims/shop/redis-0 id=aa00000000000004 backup=nightly "
      "node=node-a done=1073741824 total=4294967296 reason=\"mover left without a result\" "
      "attempt=1/1");
  CHECK(plain_summary(sample_backup(), noon()) ==
        "12:00:00Z SUMMARY    nightly phase=UploadingPartialFailure done=1/5 "
        "bytes=685047283712/1288490188800 rate=322961408 eta=2460s");
}

TEST_CASE("a total that is not known is a question mark in a plain summary") {
  auto backup = sample_backup();
  backup.unknown = 1;
  CHECK(plain_summary(backup, noon()).find("bytes=685047283712/?") != std::string::npos);
}
