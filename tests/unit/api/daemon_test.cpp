// daemon_test.cpp - the real program with the real store: exit codes, signals, and kill -9 between
// answers.
#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "runtime/http/http_client.hpp"
#include "runtime/loop.hpp"
#include "runtime/timer.hpp"
#include "schemas/api_json.hpp"
#include "tests/unit/runtime/temporary_directory.hpp"

using namespace plimsoll;
using namespace plimsoll::test;

namespace {

class Daemon {
 public:
  explicit Daemon(const TemporaryDirectory& directory) : directory_(directory) {}
  ~Daemon() {
    if (pid_ > 0) kill_with(SIGKILL);
  }
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  void start(std::vector<std::string> extra = {}) {
    std::vector<std::string> words = {PLIMSOLL_CONTROLLER, "--run-dir", directory_ / "run",
                                      "--state-dir", directory_ / "state"};
    words.insert(words.end(), extra.begin(), extra.end());
    std::vector<char*> arguments;
    for (auto& word : words)
      arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const auto log = directory_ / "log";
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600), STDERR_FILENO);
      ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
      ::execv(PLIMSOLL_CONTROLLER, arguments.data());
      ::_exit(127);
    }
    REQUIRE(pid_ > 0);
  }
  // The exit status, or minus the signal.
  int wait() {
    int status = 0;
    REQUIRE(::waitpid(pid_, &status, 0) == pid_);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  int run(std::vector<std::string> extra = {}) {
    start(std::move(extra));
    return wait();
  }
  int kill_with(int signal) {
    ::kill(pid_, signal);
    return wait();
  }
  void signal(int signo) const { ::kill(pid_, signo); }

  Result<HttpReply> call(const std::string& method, const std::string& path,
                         const std::string& body = "") const {
    HttpCall one;
    one.socket = directory_ / "run/controller.sock";
    one.method = method;
    one.path = path;
    one.body = body;
    return http_call(one);
  }
  // Until it answers, or is gone.
  void wait_ready() {
    Loop loop;  // only waits: its timer wakes it to ask again
    plimsoll::Timer wake(loop, [] {});
    wake.start_every(milliseconds(20));
    REQUIRE(loop.run_until(
        [this] {
          const auto reply = call("GET", "/readyz");
          return reply && reply->status == 200;
        },
        milliseconds(60'000)));
  }
  std::string log() const {
    std::ifstream file(directory_ / "log");
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  const TemporaryDirectory& directory_;
  pid_t pid_ = 0;
};

std::string named(const std::string& name) {
  return R"({"metadata":{"name":")" + name + R"("}})";
}

}  // namespace

TEST_CASE("every backup that was answered is there after kill -9, in every round") {
  const TemporaryDirectory directory;
  Daemon daemon(directory);
  std::vector<std::string> answered;
  for (int round = 0; round < 5; ++round) {
    daemon.start();
    daemon.wait_ready();
    for (int n = 0; n < 10; ++n) {
      const auto name = "b" + std::to_string(round) + "-" + std::to_string(n);
      const auto reply = daemon.call("POST", "/v1/backups", named(name));
      REQUIRE(reply.has_value());
      REQUIRE(reply->status == 201);
      answered.push_back(name);
    }
    CHECK(daemon.kill_with(SIGKILL) == -SIGKILL);
  }
  daemon.start();
  daemon.wait_ready();
  for (const auto& name : answered)
    CHECK(daemon.call("GET", "/v1/backups/" + name)->status == 200);
  CHECK(daemon.call("DELETE", "/v1/backups/b0-0")->status == 202);
  CHECK(daemon.kill_with(SIGKILL) == -SIGKILL);
  daemon.start();
  daemon.wait_ready();
  CHECK(daemon.call("GET", "/v1/backups/b0-0")->status == 410);
  CHECK(daemon.kill_with(SIGTERM) == 0);
  CHECK_FALSE(std::filesystem::exists(directory / "run/controller.sock"));
}

TEST_CASE("the program's exit codes are the documented ones") {
  const TemporaryDirectory directory;
  Daemon daemon(directory);
  SECTION("usage") {
    CHECK(daemon.run({"--no-such-flag"}) == 2);
  }
  SECTION("help and version") {
    CHECK(daemon.run({"--help"}) == 0);
    CHECK(daemon.run({"--version"}) == 0);
  }
  SECTION("configuration") {
    directory.write("controller.yaml", "sokcet: {}\n");
    CHECK(daemon.run({"--config", directory / "controller.yaml"}) == 78);
    CHECK(daemon.log().find("socket") != std::string::npos);
  }
  SECTION("a checked configuration starts nothing") {
    CHECK(daemon.run({"--check-config"}) == 0);
    CHECK_FALSE(std::filesystem::exists(directory / "run"));
  }
  SECTION("a corrupt store is left as it is") {
    std::filesystem::create_directory(directory / "state");
    directory.write("state/controller.db",
                    "not a database, and longer than a header" + std::string(200, '.'));
    CHECK(daemon.run() == 65);
    CHECK(std::filesystem::file_size(directory / "state/controller.db") > 200);
    CHECK(daemon.log().find("controller.db") != std::string::npos);
  }
  SECTION("a second one on the same state directory") {
    daemon.start();
    daemon.wait_ready();
    Daemon second(directory);
    CHECK(second.run() == 69);
    CHECK(second.log().find("held by") != std::string::npos);
    CHECK(daemon.call("GET", "/healthz")->status == 200);
  }
}

TEST_CASE("SIGHUP reads the configuration again, and keeps the old one if the new one is wrong") {
  const TemporaryDirectory directory;
  directory.write("controller.yaml", "log: {level: info}\n");
  Daemon daemon(directory);
  daemon.start({"--config", directory / "controller.yaml"});
  daemon.wait_ready();
  const auto logged = [&daemon](const std::string& text) {
    Loop loop;
    plimsoll::Timer wake(loop, [] {});
    wake.start_every(milliseconds(20));
    return loop.run_until([&] { return daemon.log().find(text) != std::string::npos; },
                          milliseconds(60'000));
  };
  daemon.signal(SIGHUP);
  CHECK(logged("configuration read again"));
  directory.write("controller.yaml", "log: {levle: info}\n");
  daemon.signal(SIGHUP);
  CHECK(logged("configuration kept as it was"));
  CHECK(daemon.call("GET", "/healthz")->status == 200);
  CHECK(daemon.kill_with(SIGINT) == 0);
}
