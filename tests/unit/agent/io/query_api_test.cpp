// query_api_test.cpp - the agent's HTTP answers, over a real socket.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "agent/io/query_api.hpp"
#include "tests/unit/agent/core_rig.hpp"
#include "tests/unit/runtime/http_rig.hpp"

using namespace plimsoll;
using nlohmann::json;
using plimsoll::test::CoreRig;
using plimsoll::test::HttpRig;
using plimsoll::test::RawClient;
using plimsoll::test::segment_id;

namespace {

Identity item(const std::string& name, const std::string& backup = "nightly") {
  Identity identity;
  identity.backup = backup;
  identity.item = name;
  return identity;
}

std::string id_of(std::uint64_t number) {
  return to_hex(segment_id(number)).substr(0, 16);
}

// The API over a core without a controller, or with one.
struct ApiRig {
  explicit ApiRig(bool has_controller = false)
      : core(settings(has_controller)),
        api(core.state, {0, {}, {}},
            {[this] { return core.moment; },
             [](const SegmentId&) {
               return std::vector<UploadEvent>{{Severity::info, "begun", 1000}};
             },
             [this](const CancelOrder& order) { return cancel(order); },
             [this] { return reasons; }}),
        http([this](HttpRequest request, HttpResponder responder) {
          if (as_uid) request.peer.uid = *as_uid;
          api.handle(std::move(request), std::move(responder));
        }) {}

  static AgentSettings settings(bool has_controller) {
    auto settings = test::test_settings();
    settings.has_controller = has_controller;
    return settings;
  }
  Result<void> cancel(const CancelOrder& order) {
    orders.push_back(order);
    for (const auto& segment : order.segments)
      core.apply(CancelWritten{segment, true});
    return {};
  }
  HttpReply get(const std::string& path) {
    auto reply = http.get(path);
    REQUIRE(reply);
    return *reply;
  }
  HttpReply send(const std::string& method, const std::string& path, const std::string& body = "") {
    HttpCall call;
    call.method = method;
    call.path = path;
    call.body = body;
    auto reply = http.call(call);
    REQUIRE(reply);
    return *reply;
  }

  CoreRig core;
  std::vector<CancelOrder> orders;
  std::vector<std::string> reasons;
  std::optional<uid_t> as_uid;
  QueryApi api;
  HttpRig http;
};

}  // namespace

TEST_CASE("uploads are listed, filtered and paged") {
  ApiRig rig;
  for (std::uint64_t i = 1; i <= 7; ++i)
    rig.core.found(i, test::reading_of(i != 3, 1, 10),
                   item("paths/" + std::to_string(i), i == 7 ? "other" : "nightly"));
  auto all = json::parse(rig.get("/v1/uploads").body);
  CHECK(all["kind"] == "UploadList");
  CHECK(all["items"].size() == 7);
  CHECK(all["items"][0]["metadata"]["id"] == id_of(1));
  CHECK(json::parse(rig.get("/v1/uploads?backup=other").body)["items"].size() == 1);
  CHECK(json::parse(rig.get("/v1/uploads?state=Lost").body)["items"].size() == 1);
  CHECK(json::parse(rig.get("/v1/uploads?node=elsewhere").body)["items"].empty());
  std::set<std::string> seen;
  std::string next;
  for (int page = 0; page < 4; ++page) {
    const auto list = json::parse(rig.get("/v1/uploads?limit=2" + next).body);
    for (const auto& one : list["items"])
      CHECK(seen.insert(one["metadata"]["id"]).second);
    if (!list["metadata"].contains("continue")) break;
    next = "&continue=" + list["metadata"]["continue"].get<std::string>();
  }
  CHECK(seen.size() == 7);
}

TEST_CASE("one upload is answered with its history, by id or by a beginning of it") {
  ApiRig rig;
  rig.core.found(1, test::reading_of(true, 1, 250), item("paths/1"));
  const auto upload = json::parse(rig.get("/v1/uploads/" + id_of(1)).body);
  CHECK(upload["status"]["itemsCompleted"] == 250);
  CHECK(upload["status"]["percent"] == 25.0);
  CHECK(upload["status"]["state"] == "Running");
  CHECK(upload["status"]["node"] == "node-1");
  CHECK(upload["status"]["history"][0]["text"] == "begun");
  CHECK(rig.get("/v1/uploads/" + id_of(1).substr(0, 6)).status == 200);
  CHECK(rig.get("/v1/uploads/ffff").status == 404);
}

TEST_CASE("unknown paths, methods and fields get one clear JSON error each") {
  ApiRig rig;
  const auto expect = [&rig](const std::string& method, const std::string& path, int status,
                             const std::string& code) {
    const auto reply = rig.send(method, path);
    CAPTURE(method, path);
    CHECK(reply.status == status);
    const auto body = json::parse(reply.body);
    CHECK(body["kind"] == "Error");
    CHECK(body["code"] == code);
    CHECK_FALSE(body["message"].get<std::string>().empty());
  };
  expect("GET", "/", 404, "not_found");
  expect("GET", "/v1/backups", 404, "not_found");
  expect("GET", "/v1/uploads/a/b", 404, "not_found");
  expect("POST", "/v1/uploads", 405, "method");
  expect("DELETE", "/v1/uploads/abcd", 405, "method");
  expect("GET", "/v1/uploads/abcd:cancel", 405, "method");
  expect("PUT", "/healthz", 405, "method");
  expect("GET", "/v1/uploads?what=1", 400, "bad_request");
  expect("GET", "/v1/uploads?watch=1&state=x", 400, "bad_request");
  expect("GET", "/v1/uploads/%00abc", 400, "bad_request");
  expect("GET", "/v1/uploads/a%1b%5b31mz", 400, "bad_request");
}

TEST_CASE("health, readiness and version are told") {
  ApiRig rig;
  CHECK(rig.get("/healthz").status == 200);
  CHECK(rig.get("/readyz").status == 200);
  CHECK(json::parse(rig.get("/version").body)["version"] == PLIMSOLL_VERSION);
  rig.reasons = {"directory '/x' cannot be read"};
  const auto reply = rig.get("/readyz");
  CHECK(reply.status == 503);
  CHECK(json::parse(reply.body)["reasons"][0] == "directory '/x' cannot be read");
}

TEST_CASE("cancel is carried out for those who may, and answered as the contract says") {
  ApiRig rig;
  rig.core.found(1, test::reading_of(true, 1, 10), item("paths/1"));
  rig.core.found(2, test::ended_reading(Outcome::durable), item("paths/2"));
  const auto path = "/v1/uploads/" + id_of(1) + ":cancel";
  rig.as_uid = 4242;
  CHECK(rig.send("POST", path).status == 403);
  CHECK(rig.orders.empty());
  rig.as_uid = 1000;  // the owner
  CHECK(rig.send("POST", path, "{\"reason\":1}").status == 400);
  CHECK(rig.send("POST", path, "{\"why\":\"x\"}").status == 400);
  CHECK(rig.send("POST", path, "[").status == 400);
  const auto done = rig.send("POST", path, "{\"reason\":\"wrong disk\"}");
  CHECK(done.status == 202);
  CHECK(json::parse(done.body)["status"]["state"] == "Cancelling");
  REQUIRE(rig.orders.size() == 1);
  CHECK(rig.orders.front().reason == "wrong disk");
  CHECK(rig.orders.front().by == 1000);
  CHECK(rig.send("POST", "/v1/uploads/" + id_of(2) + ":cancel").status == 200);  // over already
  CHECK(rig.send("POST", "/v1/uploads/ffff:cancel").status == 404);
  CHECK(rig.orders.size() == 1);
}

TEST_CASE("with a controller within reach a cancel is the controller's, without one the agent's") {
  ApiRig rig(true);
  rig.core.found(1, test::reading_of(true, 1, 10), item("paths/1"));
  const auto path = "/v1/uploads/" + id_of(1) + ":cancel";
  rig.core.connect();
  const auto refused = rig.send("POST", path);
  CHECK(refused.status == 409);
  CHECK(json::parse(refused.body)["hint"] == "ask the controller");
  rig.core.apply(LinkClosed{"gone"});
  CHECK(rig.send("POST", path).status == 202);
}

TEST_CASE("a watcher gets the full set, a bookmark, and then only what changes") {
  ApiRig rig;
  rig.core.found(1, test::reading_of(true, 1, 10), item("paths/1"));
  rig.core.found(2, test::reading_of(true, 1, 10), item("paths/2"));
  RawClient client(rig.http.socket());
  REQUIRE(client.send("GET /v1/uploads?watch=1 HTTP/1.1\r\nHost: a\r\n\r\n"));
  REQUIRE(rig.http.until([&] { return client.has("\"synced\":true"); }));
  const auto count = [&client](const std::string& text) {
    std::size_t found = 0;
    for (auto at = client.received().find(text); at != std::string::npos;
         at = client.received().find(text, at + 1))
      ++found;
    return found;
  };
  CHECK(count("\"type\":\"ADDED\"") == 2);
  CHECK(rig.api.watches() == 1);
  rig.core.read(1, test::reading_of(true, 2, 20));
  rig.core.read(1, test::reading_of(true, 3, 30));
  rig.api.pump_watches();
  rig.api.pump_watches();
  REQUIRE(rig.http.until([&] { return client.has("\"itemsCompleted\":30"); }));
  CHECK(count("\"type\":\"MODIFIED\"") == 1);
  rig.core.read(2, test::ended_reading(Outcome::durable));
  rig.core.advance(std::chrono::hours(2));
  rig.core.tick();
  rig.core.apply(SegmentGone{segment_id(2)});
  rig.api.pump_watches();
  REQUIRE(rig.http.until([&] { return client.has("\"type\":\"DELETED\""); }));
  CHECK(client.has(id_of(2)));
  CHECK(count("\"synced\":true") == 2);  // the bookmark of every fifteen seconds
  client.close();
  REQUIRE(rig.http.until([&] {
    rig.api.pump_watches();
    return rig.api.watches() == 0;
  }));
}

TEST_CASE(
    "a new attempt changes the id of an upload: watchers see the old one go and the new one come") {
  ApiRig rig;
  rig.core.found(5, test::reading_of(false, 1, 10), item("paths/1"));
  RawClient client(rig.http.socket());
  REQUIRE(client.send("GET /v1/uploads?watch=1 HTTP/1.1\r\nHost: a\r\n\r\n"));
  REQUIRE(rig.http.until([&] { return client.has("\"synced\":true"); }));
  rig.core.found(6, test::reading_of(true, 1, 20), item("paths/1"));
  rig.api.pump_watches();
  REQUIRE(rig.http.until([&] { return client.has("\"itemsCompleted\":20"); }));
  CHECK(client.has("\"type\":\"DELETED\""));
}
