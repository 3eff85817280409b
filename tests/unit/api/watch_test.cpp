// watch_test.cpp - streams of changes: order, filters, and readers that do not read.
#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

#include "tests/unit/api/controller_rig.hpp"
#include "tests/unit/runtime/http_rig.hpp"

using namespace plimsoll;
using namespace plimsoll::test;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

RawClient watch(ControllerRig& rig, const std::string& path) {
  RawClient client(rig.config.socket.path);
  REQUIRE(client.send("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n"));
  return client;
}

void add_backup(ControllerRig& rig, const std::string& name) {
  rig.done("POST", "/v1/backups",
           R"({"metadata":{"name":")" + name + R"("},"spec":{"items":[{"item":"paths/x"}]}})");
}

}  // namespace

TEST_CASE("a watch shows everything, says so, and goes on with the changes") {
  ControllerRig rig;
  add_backup(rig, "a");
  auto client = watch(rig, "/v1/backups?watch=1");
  REQUIRE(rig.until([&] { return client.has("\"synced\":true"); }));
  CHECK(count(client.received(), "\"type\":\"ADDED\"") == 1);
  CHECK(client.received().find("application/x-ndjson") != std::string::npos);
  CHECK(client.received().find("uploadProgress") == std::string::npos);

  add_backup(rig, "b");
  REQUIRE(rig.until([&] {
    (void)client.has("");
    return client.has("\"name\":\"b\"");
  }));
  CHECK(count(client.received(), "\"type\":\"ADDED\"") == 2);
  rig.done("POST", "/v1/backups/b:seal");
  REQUIRE(rig.until([&] { return client.has("\"type\":\"MODIFIED\""); }));
  rig.done("DELETE", "/v1/backups/a");
  REQUIRE(rig.until([&] { return client.has("\"type\":\"DELETED\""); }));
}

TEST_CASE("an object that no longer fits a watch's filter is shown as gone") {
  ControllerRig rig;
  add_backup(rig, "a");
  auto client = watch(rig, "/v1/backups?watch=1&phase=InProgress");
  REQUIRE(rig.until([&] { return client.has("\"synced\":true"); }));
  rig.done("POST", "/v1/backups/a:seal");
  REQUIRE(rig.until([&] { return client.has("\"type\":\"DELETED\""); }));
}

TEST_CASE("a watch of uploads tells of additions and of deletion with the backup") {
  ControllerRig rig;
  auto client = watch(rig, "/v1/uploads?watch=1&backup=a");
  REQUIRE(rig.until([&] { return client.has("\"synced\":true"); }));
  add_backup(rig, "other");
  add_backup(rig, "a");
  REQUIRE(rig.until([&] { return client.has("\"type\":\"ADDED\""); }));
  CHECK(client.received().find("other") == std::string::npos);
  rig.done("DELETE", "/v1/backups/a");
  REQUIRE(rig.until([&] { return client.has("\"type\":\"DELETED\""); }));
}

TEST_CASE("one user's watchers leave room for others, and for that user once one ends") {
  ControllerRig rig;
  std::vector<RawClient> clients;
  for (int i = 0; i < 16; ++i)
    clients.push_back(watch(rig, "/v1/backups?watch=1"));
  REQUIRE(rig.until([&] { return clients.back().has("\"synced\":true"); }));
  RawClient refused = watch(rig, "/v1/backups?watch=1");
  REQUIRE(rig.until([&] { return refused.has(" 429 "); }));
  refused.close();
  clients.clear();
  bool served = false;
  while (!served) {  // their end is noticed within a second
    auto client = watch(rig, "/healthz");
    REQUIRE(rig.until([&] { return client.has(" 200 ") || client.closed_by_peer(); }));
    served = client.has(" 200 ");
  }
}

TEST_CASE("a big first set arrives whole, page by page") {
  ControllerRig rig;
  std::string items;
  for (int i = 0; i < 1500; ++i)
    items += (i == 0 ? "" : ",") + std::string(R"({"item":"paths/p)") + std::to_string(i) + "\"}";
  rig.done("POST", "/v1/backups",
           R"({"metadata":{"name":"big"},"spec":{"items":[)" + items + "]}}");
  HttpCall call;
  call.socket = rig.config.socket.path;
  call.path = "/v1/uploads?watch=1";
  std::size_t added = 0;
  bool synced = false;
  std::atomic<bool> ended = false;
  std::thread reader([&] {
    (void)http_lines(call, [&](std::string_view line) {
      const auto event = nlohmann::json::parse(line, nullptr, false);
      if (event["type"] == "ADDED") ++added;
      synced = event["type"] == "BOOKMARK";
      return !synced;
    });
    ended = true;
  });
  const bool came = rig.until([&] { return ended.load(); });
  reader.join();
  REQUIRE(came);
  CHECK(synced);
  CHECK(added == 1500);
}
