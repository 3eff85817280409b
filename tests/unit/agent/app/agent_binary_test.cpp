// agent_binary_test.cpp - the real agent and real movers: from nothing to JSON on the socket,
// through kills.
#include <catch2/catch.hpp>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "runtime/http/http_client.hpp"
#include "tests/support/segment_file.hpp"
#include "tests/unit/agent/app/process.hpp"

using namespace plimsoll;
using nlohmann::json;
using plimsoll::test::eventually;
using plimsoll::test::Process;

namespace {

namespace fs = std::filesystem;

struct Node {
  std::string run() const { return home.path() + "/run"; }
  std::string socket() const { return run() + "/agent.sock"; }
  std::string log() const { return home.path() + "/log"; }
  std::string log_text() const {
    std::stringstream text;
    text << std::ifstream(log()).rdbuf();
    return text.str();
  }
  std::vector<std::string> agent_arguments(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"--run-dir", run()});
    return more;
  }
  std::vector<std::string> mover_arguments(const std::string& item) const {
    return {"backup=nightly", "item=" + item, "directory=" + run() + "/segments"};
  }
  std::string write_config(const std::string& text) const {
    const auto path = home.path() + "/agent.yaml";
    std::ofstream(path) << text;
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
    return path;
  }
  Result<HttpReply> call(const std::string& method, const std::string& path) const {
    HttpCall one;
    one.socket = socket();
    one.method = method;
    one.path = path;
    return http_call(one);
  }
  json uploads() const {
    const auto reply = call("GET", "/v1/uploads");
    return reply && reply->status == 200 ? json::parse(reply->body)["items"] : json::array();
  }
  // The status of the only upload of `item`, or {}.
  json status_of(const std::string& item) const {
    for (const auto& upload : uploads())
      if (upload["spec"]["item"] == item) return upload["status"];
    return json::object();
  }
  bool shows(const std::string& item, const std::string& state) const {
    return status_of(item).value("state", "") == state;
  }
  bool ready() const {
    const auto reply = call("GET", "/readyz");
    return reply && reply->status == 200;
  }

  test::SegmentDirectory home;
};

}  // namespace

TEST_CASE("a mover's bytes, events and result are on the agent's socket; its death shows as Lost") {
  Node node;
  Process agent(PLIMSOLL_AGENT, node.agent_arguments(), node.log());
  REQUIRE(eventually([&] { return node.ready(); }));
  struct ::stat found {};
  REQUIRE(stat((node.run() + "/segments").c_str(), &found) == 0);
  CHECK((found.st_mode & 07777) == 03770);
  REQUIRE(stat(node.socket().c_str(), &found) == 0);
  CHECK((found.st_mode & 0777) == 0660);

  Process good(TEST_MOVER, node.mover_arguments("paths/good"), node.log());
  REQUIRE(good.read_line().starts_with("0 open"));
  CHECK(good.ask("update 60 100") == "0 update");
  CHECK(good.ask("event 2 disk is slow") == "0 event");
  REQUIRE(
      eventually([&] { return node.status_of("paths/good").value("itemsCompleted", 0) == 60; }));
  CHECK(node.status_of("paths/good")["state"] == "Running");

  Process doomed(TEST_MOVER, node.mover_arguments("paths/doomed"), node.log());
  REQUIRE(doomed.read_line().starts_with("0 open"));
  CHECK(doomed.ask("update 100 100") == "0 update");
  REQUIRE(eventually([&] { return node.shows("paths/doomed", "Running"); }));
  doomed.kill(SIGKILL);
  REQUIRE(eventually([&] { return node.shows("paths/doomed", "Lost"); }));
  CHECK_FALSE(node.status_of("paths/doomed")["completed"].get<bool>());

  CHECK(good.ask("complete snap-9") == "0 complete");
  REQUIRE(eventually([&] { return node.shows("paths/good", "Completed"); }));
  CHECK(node.status_of("paths/good")["storedAs"] == "snap-9");
  agent.kill(SIGTERM);
  CHECK(agent.wait() == 0);
  CHECK_FALSE(fs::exists(node.socket()));
}

TEST_CASE("a killed agent finds everything again, a second one stands by and takes over") {
  Node node;
  Process first(PLIMSOLL_AGENT, node.agent_arguments(), node.log());
  REQUIRE(eventually([&] { return node.ready(); }));
  Process mover(TEST_MOVER, node.mover_arguments("paths/a"), node.log());
  REQUIRE(mover.read_line().starts_with("0 open"));
  CHECK(mover.ask("update 10 100") == "0 update");
  Process second(PLIMSOLL_AGENT, node.agent_arguments(), node.log());
  REQUIRE(eventually([&] { return node.log_text().find("standing by") != std::string::npos; }));
  REQUIRE(eventually([&] { return node.shows("paths/a", "Running"); }));
  first.kill(SIGKILL);
  CHECK(first.wait() == -SIGKILL);
  CHECK(mover.ask("update 20 100") == "0 update");  // nobody is there, and the mover does not care
  REQUIRE(eventually([&] { return node.status_of("paths/a").value("itemsCompleted", 0) == 20; }));
  second.kill(SIGINT);
  CHECK(second.wait() == 0);
}

TEST_CASE("an agent that stands by ends cleanly too") {
  Node node;
  Process first(PLIMSOLL_AGENT, node.agent_arguments(), node.log());
  REQUIRE(eventually([&] { return node.ready(); }));
  Process second(PLIMSOLL_AGENT, node.agent_arguments(), node.log());
  REQUIRE(eventually([&] { return node.log_text().find("standing by") != std::string::npos; }));
  second.kill(SIGTERM);
  CHECK(second.wait() == 0);
  CHECK(node.ready());  // the socket is the first one's
}

TEST_CASE("alone, the agent cancels over its socket and fails what is lost after lostAfter") {
  Node node;
  const auto config = node.write_config("controller: none\nlostAfter: 2s\n");
  Process agent(PLIMSOLL_AGENT, node.agent_arguments({"--config", config}), node.log());
  REQUIRE(eventually([&] { return node.ready(); }));
  Process mover(TEST_MOVER, node.mover_arguments("paths/a"), node.log());
  REQUIRE(mover.read_line().starts_with("0 open"));
  CHECK(mover.ask("cancel?") == "0 cancel?");
  REQUIRE(eventually([&] { return node.uploads().size() == 1; }));
  const auto id = node.uploads()[0]["metadata"]["id"].get<std::string>();
  const auto reply = node.call("POST", "/v1/uploads/" + id + ":cancel");
  REQUIRE(reply);
  CHECK(reply->status == 202);
  CHECK(json::parse(reply->body)["status"]["state"] == "Cancelling");
  CHECK(mover.ask("cancel?") == "1 cancel?");
  mover.kill(SIGKILL);
  REQUIRE(eventually([&] { return node.shows("paths/a", "Canceled"); }));
  CHECK(node.status_of("paths/a")["err"] == "canceled: gone after a cancel");

  Process lost(TEST_MOVER, node.mover_arguments("paths/b"), node.log());
  REQUIRE(lost.read_line().starts_with("0 open"));
  CHECK(lost.ask("update 5 100") == "0 update");
  REQUIRE(eventually([&] { return node.shows("paths/b", "Running"); }));
  lost.kill(SIGKILL);
  REQUIRE(eventually([&] { return node.shows("paths/b", "Failed"); }));
  CHECK(node.status_of("paths/b")["itemsCompleted"] == 5);
}

TEST_CASE("alien files and a corrupt segment each get one clear line and hurt no mover") {
  Node node;
  Process agent(PLIMSOLL_AGENT, node.agent_arguments(), node.log());
  REQUIRE(eventually([&] { return node.ready(); }));
  Process mover(TEST_MOVER, node.mover_arguments("paths/a"), node.log());
  REQUIRE(mover.read_line().starts_with("0 open"));
  std::ofstream(node.run() + "/segments/evil\x1b[2J\nlevel=error") << "x";
  std::ofstream(node.run() + "/segments/0123456789abcdef01234567.seg") << std::string(16384, 'x');
  REQUIRE(eventually(
      [&] { return node.log_text().find("0123456789abcdef01234567.seg") != std::string::npos; }));
  REQUIRE(eventually([&] { return node.log_text().find("is no segment") != std::string::npos; }));
  CHECK(node.log_text().find('\x1b') == std::string::npos);
  CHECK(node.log_text().find("\nlevel=error") == std::string::npos);
  CHECK(mover.ask("update 5 100") == "0 update");
  CHECK(eventually([&] { return node.shows("paths/a", "Running"); }));
}

TEST_CASE("SIGHUP takes a good configuration and keeps the old one if the new one is wrong") {
  Node node;
  const auto config = node.write_config("controller: none\nlostAfter: 1h\n");
  Process agent(PLIMSOLL_AGENT, node.agent_arguments({"--config", config}), node.log());
  REQUIRE(eventually([&] { return node.ready(); }));
  node.write_config("controler: none\n");
  agent.kill(SIGHUP);
  REQUIRE(
      eventually([&] { return node.log_text().find("the old one stays") != std::string::npos; }));
  CHECK(node.log_text().find("controller") != std::string::npos);  // the nearest key is named
  node.write_config("controller: none\nlostAfter: 2s\n");
  agent.kill(SIGHUP);
  REQUIRE(eventually(
      [&] { return node.log_text().find("configuration reloaded") != std::string::npos; }));
  Process mover(TEST_MOVER, node.mover_arguments("paths/a"), node.log());
  REQUIRE(mover.read_line().starts_with("0 open"));
  REQUIRE(eventually([&] { return node.shows("paths/a", "Waiting"); }));
  mover.kill(SIGKILL);
  CHECK(eventually([&] { return node.shows("paths/a", "Failed"); }));  // after 2 s, not an hour
}

TEST_CASE("wrong ways to start it have their exit codes and name what is wrong") {
  Node node;
  const auto status_of = [&node](std::vector<std::string> arguments) {
    Process agent(PLIMSOLL_AGENT, std::move(arguments), node.log());
    return agent.wait();
  };
  CHECK(status_of({"--no-such-flag"}) == 2);
  CHECK(status_of({"surplus"}) == 2);
  CHECK(status_of({"--version"}) == 0);
  CHECK(status_of({"--help"}) == 0);
  CHECK(status_of(node.agent_arguments({"--check-config"})) == 0);
  CHECK(status_of(node.agent_arguments({"--config", node.write_config("swep: 1s\n")})) == 78);
  CHECK(node.log_text().find("sweep") != std::string::npos);
  CHECK(status_of({"--run-dir", node.home.path() + "/no/such/run"}) == 73);
  CHECK(status_of({"--run-dir", node.home.path() + "/" + std::string(120, 'r')}) == 78);
  fs::create_directory(node.home.path() + "/open");
  fs::permissions(node.home.path() + "/open", fs::perms::all);
  CHECK(status_of({"--run-dir", node.home.path() + "/open/run"}) == 78);
  CHECK(node.log_text().find("/open") != std::string::npos);
}

TEST_CASE("the configuration that is printed loads again") {
  Node node;
  Process agent(PLIMSOLL_AGENT, node.agent_arguments({"--print-config"}), node.log());
  const auto printed = agent.read_all();
  CHECK(agent.wait() == 0);
  Process check(PLIMSOLL_AGENT, {"--config", node.write_config(printed), "--check-config"},
                node.log());
  CHECK(check.wait() == 0);
}

TEST_CASE("the agent links neither SQLite, gRPC, protobuf nor libcurl") {
  Node node;
  Process ldd("/usr/bin/ldd", {PLIMSOLL_AGENT}, node.log());
  const auto libraries = ldd.read_all();
  REQUIRE(libraries.find("libuv") != std::string::npos);
  for (const auto* heavy : {"sqlite", "grpc", "protobuf", "curl"}) {
    CAPTURE(heavy);
    CHECK(libraries.find(heavy) == std::string::npos);
  }
}
