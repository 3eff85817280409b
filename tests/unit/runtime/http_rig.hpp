// http_rig.hpp - a server in this thread's loop, and clients in others.
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/http/http_client.hpp"
#include "runtime/http/http_server.hpp"
#include "runtime/loop.hpp"
#include "runtime/socket/unix_socket.hpp"
#include "tests/unit/runtime/temporary_directory.hpp"

namespace plimsoll::test {

inline constexpr milliseconds kWatchdog{60'000};  // only ends a test that has failed already

// A plain socket client: what it sends and reads is exactly what the test says.
class RawClient {
 public:
  explicit RawClient(const std::string& path) {
    auto fd = connect_unix_fd(path);
    REQUIRE(fd.has_value());
    fd_ = std::move(*fd);
  }
  // False once the peer takes nothing any more.
  bool send(const std::string& bytes) const {
    return ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  // Reads what is there; false at the end of the connection.
  bool read_some() {
    char buffer[65536];
    const ssize_t got = ::recv(fd_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (got > 0) received_.append(buffer, static_cast<std::size_t>(got));
    return got > 0 || (got < 0 && errno == EAGAIN);
  }
  bool closed_by_peer() {
    while (true) {
      const std::size_t before = received_.size();
      if (!read_some()) return true;
      if (received_.size() == before) return false;
    }
  }
  bool has(const std::string& text) {
    while (received_.find(text) == std::string::npos) {
      const std::size_t before = received_.size();
      if (!read_some() || received_.size() == before) break;
    }
    return received_.find(text) != std::string::npos;
  }
  const std::string& received() const { return received_; }
  void close() { fd_.reset(); }
  int fd() const { return fd_.get(); }

 private:
  UniqueFd fd_;
  std::string received_;
};

class HttpRig {
 public:
  using Handler = std::function<void(HttpRequest, HttpResponder)>;

  explicit HttpRig(Handler handler, HttpLimits limits = {}) {
    auto fd = listen_unix(socket(), 0600);
    REQUIRE(fd.has_value());
    auto started =
        HttpServer::start(loop, std::move(*fd),
                          {limits, std::move(handler), [](int status, std::string_view message) {
                             return "{\"status\":" + std::to_string(status) + ",\"message\":\"" +
                                    std::string(message) + "\"}";
                           }});
    REQUIRE(started.has_value());
    server.emplace(std::move(*started));
  }

  std::string socket() const { return directory / "server.sock"; }

  // Waits, with the loop running, until `done` holds. Conditions on raw sockets wake no loop of
  // ours: the server's own sweep does, at most 0.5 s later.
  bool until(const std::function<bool()>& done) { return loop.run_until(done, kWatchdog); }

  // A whole call from another thread.
  Result<HttpReply> call(HttpCall call) {
    call.socket = socket();
    std::optional<Result<HttpReply>> reply;
    std::thread client([&] {
      auto got = http_call(call);
      loop.post([&reply, got = std::move(got)]() mutable { reply.emplace(std::move(got)); });
    });
    const bool came = loop.run_until([&] { return reply.has_value(); }, kWatchdog);
    client.join();
    REQUIRE(came);
    return std::move(*reply);
  }
  Result<HttpReply> get(const std::string& path) {
    HttpCall one;
    one.path = path;
    return call(std::move(one));
  }

  TemporaryDirectory directory;
  Loop loop;
  std::optional<HttpServer> server;
};

inline void echo(HttpRequest request, HttpResponder responder) {
  responder.send({200, request.method + " " + request.path + " " + request.body, "text/plain", {}});
}

}  // namespace plimsoll::test
