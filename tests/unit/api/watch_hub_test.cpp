// watch_hub_test.cpp - the bounds of watch streams: how many, how far behind, and what a slow
// reader gets.
#include <catch2/catch.hpp>

#include "controller/core/controller_step.hpp"
#include "controller/io/api/watch_hub.hpp"
#include "tests/unit/runtime/http_rig.hpp"

using namespace plimsoll;
using namespace plimsoll::test;

namespace {

ControllerState state_with_uploads(int uploads) {
  LoadedStore loaded;
  loaded.id = StoreId{1, 1};
  BackupRecord backup;
  backup.uid = "uid";
  backup.name = "nightly";
  backup.phase = BackupPhase::in_progress;
  loaded.backups.push_back(backup);
  for (int i = 0; i < uploads; ++i) {
    UploadRecord upload;
    upload.id = std::to_string(1'000'000'000'000'000 + i);
    upload.backup_uid = "uid";
    upload.item = "paths/p" + std::to_string(i);
    loaded.uploads.push_back(upload);
  }
  return restore(std::move(loaded), {}, {TimePoint(seconds(100)), WallTime(milliseconds(1))}, 1);
}

// The hub behind a bare HTTP server that lets one user have as many connections as it likes.
class HubRig {
 public:
  explicit HubRig(int uploads) : state(state_with_uploads(uploads)) {}

  RawClient watcher(std::size_t expected) {
    RawClient client(http.socket());
    REQUIRE(client.send("GET /v1/uploads HTTP/1.1\r\nHost: x\r\n\r\n"));
    REQUIRE(http.until([&] { return added >= expected; }));
    return client;
  }
  void all_changed() {
    Changed changed;
    for (const auto& [id, upload] : state.committed.rows.uploads())
      changed.uploads.push_back(id);
    hub.changed(changed);
  }
  static HttpLimits wide() {
    HttpLimits limits;
    limits.max_connections_per_uid = 128;
    return limits;
  }

  ControllerState state;
  WatchHub hub{state};
  std::size_t added = 0;
  HttpRig http{[this](HttpRequest, HttpResponder responder) {
                 hub.add(std::move(responder), UploadQuery{});
                 ++added;
               },
               wide()};
};

}  // namespace

TEST_CASE("watchers are capped, the next one is told to come again") {
  HubRig rig(1);
  std::vector<RawClient> clients;
  for (std::size_t i = 1; i <= kMaxWatchers; ++i)
    clients.push_back(rig.watcher(i));
  auto refused = rig.watcher(kMaxWatchers + 1);
  REQUIRE(rig.http.until([&] { return refused.has(" 429 "); }));
  CHECK(refused.received().find("Retry-After") != std::string::npos);
  CHECK(rig.hub.watchers() == kMaxWatchers);
}

TEST_CASE(
    "a reader that does not read costs one buffer, and is closed after 30 s with the reason") {
  HubRig rig(5000);
  auto client = rig.watcher(1);
  TimePoint now{seconds(100)};
  rig.hub.flush(now);
  REQUIRE(rig.hub.watchers() == 1);
  now += kWatchBehindLimit - seconds(1);
  rig.hub.flush(now);
  CHECK(rig.hub.watchers() == 1);
  now += seconds(1);
  rig.hub.flush(now);
  CHECK(rig.hub.watchers() == 0);
  CHECK(rig.hub.closed_slow() == 1);
  REQUIRE(rig.http.until([&] { return client.has("reader too slow"); }));
}

TEST_CASE(
    "a reader that takes nothing while more than 1 MiB happens is closed with the newest state") {
  HubRig rig(1000);
  auto client = rig.watcher(1);
  const TimePoint now{seconds(100)};
  // It reads the first set, then stops.
  REQUIRE(rig.http.until([&] {
    rig.hub.flush(now);
    return client.has("\"synced\":true");
  }));
  for (int i = 0; i < 20 && rig.hub.watchers() == 1; ++i) {
    rig.all_changed();
    rig.hub.flush(now);
  }
  CHECK(rig.hub.closed_slow() == 1);
  REQUIRE(rig.http.until([&] { return client.has("reader too slow"); }));
}

TEST_CASE("a reader that went away is forgotten") {
  HubRig rig(1);
  auto client = rig.watcher(1);
  client.close();
  TimePoint now{seconds(100)};
  REQUIRE(rig.http.until([&] {
    rig.hub.flush(now);
    return rig.hub.watchers() == 0;
  }));
  CHECK(rig.hub.closed_slow() == 0);
}

TEST_CASE("a watch that has nothing to say gives a sign of life every 15 s") {
  HubRig rig(0);
  auto client = rig.watcher(1);
  TimePoint now{seconds(100)};
  rig.hub.flush(now);
  REQUIRE(rig.http.until([&] { return client.has("BOOKMARK"); }));
  const auto before = client.received().size();
  rig.hub.flush(now + kBookmarkEvery - seconds(1));
  rig.hub.flush(now + kBookmarkEvery);
  REQUIRE(rig.http.until([&] {
    (void)client.has("\n never there \n");
    return client.received().find("BOOKMARK", before) != std::string::npos;
  }));
}
