// controller_rig.hpp - the whole controller in this thread's loop, over real sockets, with a store
// in memory; clients in other threads or processes.
#pragma once

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "controller/controller_app.hpp"
#include "runtime/http/http_client.hpp"
#include "schemas/api_json.hpp"
#include "tests/support/fake_store.hpp"
#include "tests/unit/runtime/temporary_directory.hpp"

namespace plimsoll::test {

inline constexpr milliseconds kRigWatchdog{60'000};  // only ends a test that has failed already

struct JsonReply {
  int status = 0;
  nlohmann::json body;
  std::string text;
};

class ControllerRig {
 public:
  ControllerRig() {
    // So that another uid can reach the sockets; who may do what is not a matter of modes here.
    REQUIRE(::chmod(directory.path().c_str(), 0755) == 0);
    config.run_dir = directory.path();
    config.state_dir = directory.path();
    config.socket.path = directory / "controller.sock";
    config.uplink.path = directory / "uplink.sock";
    config.uplink.agent_uids = {::geteuid()};
    restart();
  }

  // As after a kill: what was not committed is gone.
  void restart() {
    app.reset();
    store = std::make_unique<FakeStore>(disk);
    auto sockets = listen_all(config);
    REQUIRE(sockets.has_value());
    auto started = ControllerApp::start({loop, *store, log, audit}, config, std::move(*sockets));
    REQUIRE(started.has_value());
    app = std::move(*started);
    REQUIRE(::chmod(config.socket.path.c_str(), 0666) == 0);
  }

  bool until(const std::function<bool()>& done) { return loop.run_until(done, kRigWatchdog); }

  JsonReply call(const std::string& method, const std::string& path, const std::string& body = "") {
    HttpCall one;
    one.socket = config.socket.path;
    one.method = method;
    one.path = path;
    one.body = body;
    std::optional<Result<HttpReply>> reply;
    std::thread client([&] {
      auto got = http_call(one);
      loop.post([&reply, got = std::move(got)]() mutable { reply.emplace(std::move(got)); });
    });
    const bool came = until([&] { return reply.has_value(); });
    client.join();
    REQUIRE(came);
    REQUIRE(reply->has_value());
    JsonReply answer{(*reply)->status, {}, (*reply)->body};
    answer.body = nlohmann::json::parse(answer.text, nullptr, false);
    return answer;
  }
  JsonReply get(const std::string& path) { return call("GET", path); }
  // For steps on the way to what is tested.
  JsonReply done(const std::string& method, const std::string& path, const std::string& body = "") {
    auto answer = call(method, path, body);
    INFO(method << ' ' << path << ": " << answer.text);
    REQUIRE(answer.status / 100 == 2);
    return answer;
  }

  // The status another user gets (needs root).
  int status_as(uid_t uid, const std::string& method, const std::string& path,
                const std::string& body = "") {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(::setuid(uid) == 0 ? ask(method, path, body) : 1);
    int status = 0;
    REQUIRE(until([&] { return ::waitpid(child, &status, WNOHANG) == child; }));
    REQUIRE(WIFEXITED(status));
    // An exit status has eight bits: 2xx, 4xx and 5xx travel as n % 100 + class × 20.
    const int code = WEXITSTATUS(status);
    return code / 20 * 100 + code % 20;
  }

  TemporaryDirectory directory;
  ControllerConfig config;
  FakeDisk disk;
  std::unique_ptr<FakeStore> store;
  UniqueFd quiet{::open("/dev/null", O_WRONLY | O_CLOEXEC)};
  Log log{LogOptions{LogLevel::error, LogFormat::logfmt, 10, quiet.get()}};
  Log audit{LogOptions{LogLevel::info, LogFormat::logfmt, 0, quiet.get()}};
  Loop loop;
  std::unique_ptr<ControllerApp> app;

 private:
  int ask(const std::string& method, const std::string& path, const std::string& body) const {
    HttpCall one;
    one.socket = config.socket.path;
    one.method = method;
    one.path = path;
    one.body = body;
    const auto reply = http_call(one);
    return reply ? reply->status / 100 * 20 + reply->status % 100 : 1;
  }
};

}  // namespace plimsoll::test
