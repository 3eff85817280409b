// conformance_test.cpp - what every store must do; run against the real one and the fake alike.
#include <catch2/catch.hpp>

#include <memory>

#include "controller/io/sqlite_store.hpp"
#include "tests/support/fake_store.hpp"
#include "tests/unit/runtime/temporary_directory.hpp"
#include "tests/unit/store/full_records.hpp"

using namespace plimsoll;
using namespace plimsoll::test;

namespace {

class SqliteUnderTest {
 public:
  SqliteUnderTest() { reopen(); }
  BackupStore& store() { return *store_; }
  void reopen() {
    store_.reset();
    auto opened = SqliteStore::open(directory_ / "controller.db");
    REQUIRE(opened.has_value());
    store_ = std::move(*opened);
  }

 private:
  TemporaryDirectory directory_;
  std::unique_ptr<SqliteStore> store_;
};

class FakeUnderTest {
 public:
  BackupStore& store() { return *store_; }
  void reopen() { store_ = std::make_unique<FakeStore>(disk_); }

 private:
  FakeDisk disk_;
  std::unique_ptr<FakeStore> store_ = std::make_unique<FakeStore>(disk_);
};

void commit(BackupStore& store, const std::vector<StoreWrite>& writes) {
  const auto done = store.commit(writes);
  INFO((done ? "" : done.error().message));
  REQUIRE(done.has_value());
}

void refused(BackupStore& store, const std::vector<StoreWrite>& writes) {
  const auto before = text_of(store.load().value());
  const auto done = store.commit(writes);
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().code == ErrorCode::internal);
  CHECK(text_of(store.load().value()) == before);
}

std::vector<std::string> history(BackupStore& store, const HistoryOf& of) {
  std::vector<std::string> texts;
  const auto events = store.read_history(of).value();
  for (const auto& event : events)
    texts.push_back(event.text);
  return texts;
}

}  // namespace

TEMPLATE_TEST_CASE("a fresh store is empty and keeps its id", "", SqliteUnderTest, FakeUnderTest) {
  TestType under_test;
  const auto first = under_test.store().load().value();
  CHECK(text_of(first).empty());
  CHECK_FALSE(first.id.is_zero());
  under_test.reopen();
  CHECK(under_test.store().load().value().id == first.id);
}

TEMPLATE_TEST_CASE("every field of every record comes back after a reopen", "", SqliteUnderTest,
                   FakeUnderTest) {
  TestType under_test;
  auto upload = full_upload(1, "uid-1");
  upload.end = UploadEnd{Outcome::failed, "it broke", WallTime(milliseconds(77)), 5, 6};
  auto attempt = full_attempt(1, upload.id);
  attempt.terminal = Terminal{Outcome::incomplete, "incomplete: 3", true, "snap", 1, 2, 3, 4, 5};
  commit(under_test.store(),
         {PutBackup{full_backup(1)}, PutUpload{upload}, PutUpload{full_upload(2, "uid-1")},
          PutAttempt{attempt}, PutAttempt{full_attempt(2, "")}, PutNode{full_node(1)},
          PutTombstone{full_tombstone(1)}});
  LoadedStore expected{{},
                       {full_backup(1)},
                       {upload, full_upload(2, "uid-1")},
                       {attempt, full_attempt(2, "")},
                       {full_node(1)},
                       {full_tombstone(1)}};
  under_test.reopen();
  CHECK(text_of(under_test.store().load().value()) == text_of(expected));
}

TEMPLATE_TEST_CASE("records with nothing known come back as they were", "", SqliteUnderTest,
                   FakeUnderTest) {
  TestType under_test;
  BackupRecord backup;
  backup.uid = "u";
  backup.name = "n";
  UploadRecord upload;
  upload.id = "i";
  AttemptRecord attempt;
  attempt.segment = SegmentId{1, 0};
  NodeRecord node;
  node.name = "node";
  TombstoneRecord tombstone;
  tombstone.uid = "t";
  commit(under_test.store(), {PutBackup{backup}, PutUpload{upload}, PutAttempt{attempt},
                              PutNode{node}, PutTombstone{tombstone}});
  const LoadedStore expected{{}, {backup}, {upload}, {attempt}, {node}, {tombstone}};
  CHECK(text_of(under_test.store().load().value()) == text_of(expected));
}

TEMPLATE_TEST_CASE("a batch is all or nothing", "", SqliteUnderTest, FakeUnderTest) {
  TestType under_test;
  auto second = full_backup(2);
  second.name = full_backup(1).name;  // taken
  refused(under_test.store(),
          {PutNode{full_node(1)}, PutBackup{full_backup(1)}, PutBackup{second}});
  under_test.reopen();
  CHECK(text_of(under_test.store().load().value()).empty());
}

TEMPLATE_TEST_CASE("a phase that is over changes only to Deleting, and that not at all", "",
                   SqliteUnderTest, FakeUnderTest) {
  for (const auto& from : kBackupPhases) {
    for (const auto& to : kBackupPhases) {
      TestType under_test;
      auto backup = full_backup(1);
      backup.phase = from.phase;
      commit(under_test.store(), {PutBackup{backup}});
      backup.phase = to.phase;
      const bool allowed =
          from.phase == to.phase ||
          (from.terminal ? to.phase == BackupPhase::deleting : from.phase != BackupPhase::deleting);
      INFO(from.word << " to " << to.word);
      if (allowed)
        commit(under_test.store(), {PutBackup{backup}});
      else
        refused(under_test.store(), {PutBackup{backup}});
    }
  }
}

TEMPLATE_TEST_CASE("a failure that was latched is never taken back", "", SqliteUnderTest,
                   FakeUnderTest) {
  TestType under_test;
  commit(under_test.store(), {PutBackup{full_backup(1)}});
  auto forgiven = full_backup(1);
  forgiven.failed_latched = false;
  refused(under_test.store(), {PutBackup{forgiven}});
}

TEMPLATE_TEST_CASE("how an upload ended never changes, the rest of it may", "", SqliteUnderTest,
                   FakeUnderTest) {
  TestType under_test;
  auto upload = full_upload(1, "uid-1");
  upload.end = UploadEnd{Outcome::failed, "it broke", std::nullopt, 5, 6};
  commit(under_test.store(), {PutUpload{upload}});
  auto changed = upload;
  changed.end->outcome = Outcome::durable;
  refused(under_test.store(), {PutUpload{changed}});
  changed = upload;
  changed.end.reset();
  refused(under_test.store(), {PutUpload{changed}});
  changed = upload;
  changed.cancel.reset();
  commit(under_test.store(), {PutUpload{changed}});
}

TEMPLATE_TEST_CASE("an item is in a backup once", "", SqliteUnderTest, FakeUnderTest) {
  TestType under_test;
  commit(under_test.store(), {PutUpload{full_upload(1, "uid-1")}});
  auto twin = full_upload(2, "uid-1");
  twin.item = full_upload(1, "uid-1").item;
  refused(under_test.store(), {PutUpload{twin}});
  twin.backup_uid = "uid-2";
  commit(under_test.store(), {PutUpload{twin}});
}

TEMPLATE_TEST_CASE("a terminal and a binding of an attempt stay", "", SqliteUnderTest,
                   FakeUnderTest) {
  TestType under_test;
  auto attempt = full_attempt(1, "");
  commit(under_test.store(), {PutAttempt{attempt}});
  attempt.upload_id = "a";
  attempt.terminal = Terminal{Outcome::durable, "", false, "snap", 1, 1, 0, 0, 9};
  commit(under_test.store(), {PutAttempt{attempt}});
  auto changed = attempt;
  changed.upload_id = "b";
  refused(under_test.store(), {PutAttempt{changed}});
  changed = attempt;
  changed.terminal->outcome = Outcome::failed;
  refused(under_test.store(), {PutAttempt{changed}});
  changed = attempt;
  changed.given_up = false;
  commit(under_test.store(), {PutAttempt{changed}});
}

TEMPLATE_TEST_CASE("a session of a node never goes back", "", SqliteUnderTest, FakeUnderTest) {
  TestType under_test;
  auto node = full_node(1);
  commit(under_test.store(), {PutNode{node}});
  --node.session;
  refused(under_test.store(), {PutNode{node}});
}

TEMPLATE_TEST_CASE("a deleted backup goes with uploads, attempts and history", "", SqliteUnderTest,
                   FakeUnderTest) {
  TestType under_test;
  auto& store = under_test.store();
  const auto mine = full_attempt(1, full_upload(1, "uid-1").id);
  const auto other = full_attempt(2, full_upload(2, "uid-2").id);
  commit(store,
         {PutBackup{full_backup(1)}, PutBackup{full_backup(2)}, PutUpload{full_upload(1, "uid-1")},
          PutUpload{full_upload(2, "uid-2")}, PutAttempt{mine}, PutAttempt{other},
          AddEvents{{event_of(mine, 1), event_of(other, 2)}}});
  commit(store, {DeleteBackup{"uid-1"}, PutTombstone{full_tombstone(1)}});
  const auto left = store.load().value();
  REQUIRE(left.backups.size() == 1);
  CHECK(left.backups[0].uid == "uid-2");
  CHECK(left.uploads.size() == 1);
  REQUIRE(left.attempts.size() == 1);
  CHECK(left.attempts[0].segment == other.segment);
  CHECK(history(store, {mine.upload_id, {}}).empty());
  CHECK(history(store, {other.upload_id, {}}).size() == 1);
  auto again = full_backup(3);
  again.name = full_backup(1).name;
  commit(store, {PutBackup{again}, DeleteTombstone{"gone-1"}});
  CHECK(store.load().value().tombstones.empty());
}

TEMPLATE_TEST_CASE("history keeps the newest hundred, each event once", "", SqliteUnderTest,
                   FakeUnderTest) {
  TestType under_test;
  auto& store = under_test.store();
  const auto attempt = full_attempt(1, "a");
  for (int n = 0; n < 130; ++n)
    commit(store, {AddEvents{{event_of(attempt, n)}}});
  commit(store, {AddEvents{{event_of(attempt, 0), event_of(attempt, 129)}}});  // reported again
  const auto texts = history(store, {"a", {}});
  REQUIRE(texts.size() == kMaxEventsPerUpload);
  CHECK(texts.front() == "event 30");
  CHECK(texts.back() == "event 129");
}

TEMPLATE_TEST_CASE("an orphan's history follows it into the upload that adopts it", "",
                   SqliteUnderTest, FakeUnderTest) {
  TestType under_test;
  auto& store = under_test.store();
  const auto orphan = full_attempt(1, "");
  commit(store, {PutAttempt{orphan}, AddEvents{{event_of(orphan, 1)}}});
  CHECK(history(store, {"", orphan.segment}).size() == 1);
  commit(store, {AdoptEvents{orphan.segment, "a"}});
  CHECK(history(store, {"", orphan.segment}).empty());
  CHECK(history(store, {"a", {}}).size() == 1);
  commit(store, {DeleteAttempt{orphan.segment}});
  CHECK(history(store, {"a", {}}).empty());
  CHECK(store.load().value().attempts.empty());
}

TEST_CASE("the fake fails exactly the call it was told to fail") {
  FakeDisk disk;
  FakeStore store(disk);
  store.fail_call(2, Error{ErrorCode::store_io, "planned", "", ""});
  commit(store, {PutNode{full_node(1)}});
  CHECK_FALSE(store.commit(std::vector<StoreWrite>{PutNode{full_node(2)}}).has_value());
  CHECK(disk.nodes.size() == 1);
  commit(store, {PutNode{full_node(2)}});
  CHECK(disk.nodes.size() == 2);
}
