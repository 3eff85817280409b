// backups_api_test.cpp - the life of a backup over HTTP, and who may do what.
#include <catch2/catch.hpp>

#include "tests/support/child_process.hpp"
#include "tests/unit/api/controller_rig.hpp"

using namespace plimsoll;
using namespace plimsoll::test;

namespace {

constexpr uid_t kNobody = 65534;
constexpr const char* kTwoItems = R"({"metadata":{"name":"nightly"},"spec":{"items":[
    {"item":"persistentvolumeclaims/shop/data-0","snapshotID":"snap-1","parts":2},
    {"item":"paths/srv","volumeID":"vol"}],"source":"cli"}})";

void all_keys_of_counts(const nlohmann::json& counts) {
  CHECK(counts.size() == kUploadStates.size());
  for (const auto& row : kUploadStates)
    CHECK(counts.contains(std::string(row.word)));
}

}  // namespace

TEST_CASE("a backup is created with its items, and read back whole") {
  ControllerRig rig;
  const auto made = rig.call("POST", "/v1/backups", kTwoItems);
  REQUIRE(made.status == 201);
  const auto uid = made.body["metadata"]["uid"].get<std::string>();
  for (const auto& name : {std::string("nightly"), uid}) {
    const auto got = rig.get("/v1/backups/" + name);
    REQUIRE(got.status == 200);
    CHECK(got.body["kind"] == "Backup");
    CHECK(got.body["metadata"]["name"] == "nightly");
    CHECK(got.body["spec"]["source"] == "cli");
    CHECK(got.body["spec"]["seal"] == "manual");
    CHECK(got.body["spec"]["items"].size() == 2);
    CHECK(got.body["status"]["phase"] == "InProgress");
    CHECK(got.body["status"]["uploadProgress"].size() == 2);
    CHECK(got.body["status"]["uploadProgress"]["paths/srv"]["state"] == "Pending");
    CHECK(got.body["status"]["totals"]["uploads"] == 2);
    all_keys_of_counts(got.body["status"]["counts"]);
  }
}

TEST_CASE("creating again with the same uid is no second backup") {
  ControllerRig rig;
  const std::string body = R"({"metadata":{"name":"nightly","uid":"my-uid"}})";
  CHECK(rig.call("POST", "/v1/backups", body).status == 201);
  CHECK(rig.call("POST", "/v1/backups", body).status == 200);
  CHECK(rig.disk.backups.size() == 1);
}

TEST_CASE("a backup without items shows an empty map, and lists carry none") {
  ControllerRig rig;
  rig.done("POST", "/v1/backups", R"({"metadata":{"name":"nightly"}})");
  CHECK(rig.get("/v1/backups/nightly").body["status"]["uploadProgress"] ==
        nlohmann::json::object());
  const auto list = rig.get("/v1/backups");
  CHECK(list.body["kind"] == "BackupList");
  REQUIRE(list.body["items"].size() == 1);
  CHECK_FALSE(list.body["items"][0]["status"].contains("uploadProgress"));
}

TEST_CASE("adding an item is idempotent, and a run may make the backup on the way") {
  ControllerRig rig;
  const std::string path = "/v1/backups/nightly/items/paths%2Fsrv";
  CHECK(rig.call("PUT", path, "{}").status == 404);
  const auto made = rig.call("PUT", path + "?create=auto", R"({"snapshotID":"s"})");
  REQUIRE(made.status == 201);
  CHECK(made.body["kind"] == "Upload");
  CHECK(made.body["spec"]["backup"] == "nightly");
  CHECK(rig.call("PUT", path + "?create=auto", R"({"snapshotID":"s"})").status == 200);
  CHECK(rig.get("/v1/backups/nightly").body["spec"]["seal"] == "auto");
}

TEST_CASE("seal, cancel and delete answer with what is committed") {
  ControllerRig rig;
  rig.done("POST", "/v1/backups", kTwoItems);
  const auto sealed = rig.call("POST", "/v1/backups/nightly:seal", R"({"outcome":"ok"})");
  CHECK(sealed.status == 200);
  CHECK(sealed.body["status"]["phase"] == "Uploading");
  CHECK(rig.disk.backups.begin()->second.phase == BackupPhase::uploading);
  CHECK(rig.call("POST", "/v1/backups/nightly:seal").status == 200);  // again: nothing new

  const auto uploads = rig.get("/v1/uploads").body["items"];
  REQUIRE(uploads.size() == 2);
  const auto id = uploads[0]["metadata"]["id"].get<std::string>();
  const auto canceled = rig.call("POST", "/v1/uploads/" + id + ":cancel", R"({"reason":"test"})");
  CHECK(canceled.status == 202);
  CHECK(rig.disk.uploads.at(id).cancel.has_value());
  CHECK(rig.call("POST", "/v1/uploads/" + id + ":cancel").status == 200);  // over already

  CHECK(rig.call("DELETE", "/v1/backups/nightly").status == 202);
  CHECK(rig.disk.backups.empty());
  CHECK(rig.call("DELETE", "/v1/backups/nightly").status / 100 != 5);
  const auto gone = rig.get("/v1/backups/nightly");
  CHECK(gone.status == 410);
  CHECK(gone.body["deletedAt"].is_string());
}

TEST_CASE("what was answered is there after a restart") {
  ControllerRig rig;
  rig.done("POST", "/v1/backups", kTwoItems);
  rig.done("POST", "/v1/backups/nightly:seal");
  const auto before = rig.get("/v1/backups/nightly").body;
  rig.restart();
  const auto after = rig.get("/v1/backups/nightly").body;
  CHECK(after["metadata"] == before["metadata"]);
  CHECK(after["spec"] == before["spec"]);
  CHECK(after["status"]["phase"] == "Uploading");
}

TEST_CASE("lists are filtered and come in pages") {
  ControllerRig rig;
  for (const std::string name : {"a", "b", "c"})
    rig.done("POST", "/v1/backups",
             R"({"metadata":{"name":")" + name + R"("},"spec":{"items":[{"item":"paths/x"}]}})");
  rig.done("POST", "/v1/backups/c:seal");
  CHECK(rig.get("/v1/backups?phase=Uploading").body["items"].size() == 1);
  CHECK(rig.get("/v1/backups?name=b").body["items"].size() == 1);
  CHECK(rig.get("/v1/uploads?backup=b").body["items"].size() == 1);
  CHECK(rig.get("/v1/uploads?state=Pending").body["items"].size() == 3);
  CHECK(rig.get("/v1/uploads?state=Lost").body["items"].empty());
  CHECK(rig.get("/v1/uploads?orphans=1").body["items"].empty());
  std::vector<std::string> names;
  std::string next;
  do {
    const auto page = rig.get("/v1/backups?limit=2" + (next.empty() ? "" : "&continue=" + next));
    for (const auto& backup : page.body["items"])
      names.push_back(backup["metadata"]["name"]);
    next = page.body["metadata"].value("continue", "");
  } while (!next.empty());
  CHECK(names == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("health, readiness, version and nodes are there from the start") {
  ControllerRig rig;
  CHECK(rig.get("/healthz").text == "ok\n");
  CHECK(rig.get("/readyz").text == "ready\n");
  CHECK(rig.get("/version").body["version"] == PLIMSOLL_VERSION);
  CHECK(rig.get("/v1/nodes").body["kind"] == "NodeList");
  CHECK(rig.call("HEAD", "/v1/backups").status == 200);
}

TEST_CASE("while the store cannot commit, changes are refused, reads go on, and readyz says why") {
  ControllerRig rig;
  rig.done("POST", "/v1/backups", kTwoItems);
  rig.store->fail_commits(Error{ErrorCode::no_space, "the disk is full", "", ""});
  const auto refused = rig.call("POST", "/v1/backups", R"({"metadata":{"name":"second"}})");
  CHECK(refused.status == 503);
  CHECK(refused.body["code"] == "store_unavailable");
  CHECK(rig.get("/v1/backups/nightly").status == 200);
  const auto ready = rig.get("/readyz");
  CHECK(ready.status == 503);
  CHECK(ready.text.find("the disk is full") != std::string::npos);
  CHECK(rig.get("/healthz").status == 200);

  rig.store->fail_commits(std::nullopt);
  REQUIRE(rig.until([&] { return store_is_available(rig.app->state()); }));
  CHECK(rig.get("/readyz").status == 200);
}

TEST_CASE("whichever call of the store fails, the client is told, and asking again gets it done") {
  const std::vector<std::pair<std::string, std::string>> steps = {
      {"POST", "/v1/backups"},
      {"PUT", "/v1/backups/nightly/items/paths%2Fmore"},
      {"POST", "/v1/backups/nightly:seal"},
      {"POST", "/v1/backups/nightly:cancel"},
      {"DELETE", "/v1/backups/nightly"}};
  bool failed = true;
  for (std::uint64_t n = 1; failed; ++n) {
    ControllerRig rig;
    rig.store->fail_call(n, Error{ErrorCode::no_space, "planned", "", ""});
    failed = false;
    for (const auto& [method, path] : steps) {
      const std::string body = path == "/v1/backups" ? kTwoItems : "{}";
      auto answer = rig.call(method, path, body);
      INFO("call " << n << ", " << method << ' ' << path << ": " << answer.text);
      if (answer.status == 503) {
        failed = true;
        REQUIRE(rig.until([&] { return store_is_available(rig.app->state()); }));
        answer = rig.call(method, path, body);
      }
      // The first commit may have been made good meanwhile: then the name is taken, by us.
      CHECK((answer.status / 100 == 2 || (failed && answer.body["code"] == "exists") ||
             (failed && answer.status == 410)));
    }
    CHECK(rig.disk.backups.empty());
    CHECK(rig.disk.uploads.empty());
    REQUIRE(n < 50);
  }
}

TEST_CASE("a store that fails for good ends the controller with its error, unanswered") {
  ControllerRig rig;
  rig.store->fail_commits(Error{ErrorCode::store_io, "disk I/O error", "", ""});
  std::optional<Result<HttpReply>> reply;
  std::thread client([&] {
    HttpCall one;
    one.socket = rig.config.socket.path;
    one.method = "POST";
    one.path = "/v1/backups";
    one.body = R"({"metadata":{"name":"nightly"}})";
    reply = http_call(one);
  });
  const auto ended = rig.app->run();
  rig.app.reset();
  client.join();
  REQUIRE_FALSE(ended.has_value());
  CHECK(info(ended.error().code).exit_code == 74);
  CHECK((!reply->has_value() || (*reply)->status == 503));
  CHECK(rig.disk.backups.empty());
}

TEST_CASE("only who may, changes: another user reads, and owns only what it made") {
  if (skip_without(::geteuid() == 0, "root, to become another user")) return;
  ControllerRig rig;
  rig.done("POST", "/v1/backups", kTwoItems);
  CHECK(rig.status_as(kNobody, "GET", "/v1/backups/nightly") == 200);
  CHECK(rig.status_as(kNobody, "DELETE", "/v1/backups/nightly") == 403);
  CHECK(rig.status_as(kNobody, "POST", "/v1/backups/nightly:seal", "{}") == 403);
  CHECK(rig.status_as(kNobody, "POST", "/v1/backups/nightly:cancel") == 403);
  CHECK(rig.status_as(kNobody, "POST", "/v1/backups", R"({"metadata":{"name":"b"}})") == 403);
  const std::string own = "/v1/backups/mine/items/paths%2Fx";
  CHECK(rig.status_as(kNobody, "PUT", own + "?create=auto", "{}") == 201);
  CHECK(rig.disk.backups.size() == 2);
  rig.config.socket.admins.uids = {kNobody};
  REQUIRE(rig.app->reload(rig.config).has_value());
  CHECK(rig.status_as(kNobody, "POST", "/v1/backups/nightly:seal", "{}") == 200);
}
