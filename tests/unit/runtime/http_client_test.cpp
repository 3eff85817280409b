// http_client_test.cpp - the blocking client against our server and against nobody.
#include "runtime/http/http_client.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <thread>
#include <vector>

#include "tests/unit/runtime/http_rig.hpp"

using namespace plimsoll;
using namespace plimsoll::test;

namespace {

HttpCall call_to(const std::string& socket) {
  HttpCall call;
  call.socket = socket;
  return call;
}

// Runs a blocking call beside the loop.
template <typename Call>
auto beside(HttpRig& rig, Call call) {
  std::optional<decltype(call())> result;
  std::thread client([&] {
    auto got = call();
    rig.loop.post([&result, got = std::move(got)]() mutable { result.emplace(std::move(got)); });
  });
  const bool came = rig.until([&] { return result.has_value(); });
  client.join();
  REQUIRE(came);
  return std::move(*result);
}

}  // namespace

TEST_CASE("nobody at the socket is unreachable, with the path and what to do") {
  const TemporaryDirectory directory;
  const auto missing = http_call(call_to(directory / "missing.sock"));
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().code == ErrorCode::unreachable);
  CHECK(missing.error().message.find(directory / "missing.sock") != std::string::npos);
  CHECK_FALSE(missing.error().hint.empty());
  (void)listen_unix(directory / "stale.sock", 0600);
  CHECK(http_call(call_to(directory / "stale.sock")).error().code == ErrorCode::unreachable);
  CHECK(http_call(call_to("/" + std::string(200, 'x'))).error().code == ErrorCode::config);
}

TEST_CASE("a socket that may not be opened is a matter of permission") {
  if (::geteuid() != 0) return;  // only root can play another user
  const TemporaryDirectory directory;
  REQUIRE(::chmod(directory.path().c_str(), 0755) == 0);
  const auto fd = listen_unix(directory / "s.sock", 0600);
  REQUIRE(fd.has_value());
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setresuid(65534, 65534, 65534) != 0) ::_exit(2);
    const auto reply = http_call(call_to(directory / "s.sock"));
    ::_exit(!reply && reply.error().code == ErrorCode::permission ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("a server that does not answer is a timeout") {
  const TemporaryDirectory directory;
  const auto fd = listen_unix(directory / "s.sock", 0600);  // accepts by backlog, never reads
  REQUIRE(fd.has_value());
  auto call = call_to(directory / "s.sock");
  call.timeout = milliseconds(50);
  CHECK(http_call(call).error().code == ErrorCode::timeout);
}

TEST_CASE("a server that breaks off is an input or output error") {
  std::optional<HttpStream> stream;
  HttpRig rig([&](HttpRequest, HttpResponder responder) {
    stream = responder.stream({200, "half", "text/plain", {}});
    stream->abort();
  });
  CHECK(rig.get("/").error().code == ErrorCode::io);
}

TEST_CASE("a waiting call can be given up") {
  const TemporaryDirectory directory;
  const auto fd = listen_unix(directory / "s.sock", 0600);
  REQUIRE(fd.has_value());
  auto call = call_to(directory / "s.sock");
  int asked = 0;
  call.keep_going = [&] { return ++asked < 2; };
  CHECK(http_call(call).error().code == ErrorCode::closed);
}

TEST_CASE("a server of another user is refused before anything is sent") {
  if (::geteuid() == 0) return;  // root is always trusted
  HttpRig rig(echo);
  auto call = call_to(rig.socket());
  call.server_uid = ::geteuid() + 1;
  CHECK(rig.call(call).error().code == ErrorCode::forbidden);
}

TEST_CASE("the right server passes the check") {
  HttpRig rig(echo);
  auto call = call_to(rig.socket());
  call.server_uid = ::geteuid();
  CHECK(rig.call(call).value().status == 200);
}

TEST_CASE("lines come one by one, across pieces, until the end") {
  std::optional<HttpStream> stream;
  HttpRig rig([&](HttpRequest, HttpResponder responder) {
    stream = responder.stream({200, "one\ntw", "application/x-ndjson", {}});
  });
  std::vector<std::string> lines;
  auto call = call_to(rig.socket());
  const auto reply = beside(rig, [&] {
    return http_lines(call, [&](std::string_view line) {
      rig.loop.post([&, text = std::string(line)] {
        lines.push_back(text);
        if (lines.size() == 1) (void)stream->push("o\nthree\n");
        if (lines.size() == 3) stream->end();
      });
      return true;
    });
  });
  REQUIRE(reply.has_value());
  CHECK(reply->status == 200);
  CHECK(lines == std::vector<std::string>{"one", "two", "three"});
}

TEST_CASE("a reader of lines can stop when it has seen enough") {
  std::optional<HttpStream> stream;
  HttpRig rig([&](HttpRequest, HttpResponder responder) {
    stream = responder.stream({200, "one\ntwo\n", "application/x-ndjson", {}});
  });
  auto call = call_to(rig.socket());
  int lines = 0;
  const auto reply = beside(rig, [&] {
    return http_lines(call, [&](std::string_view) {
      ++lines;
      return false;
    });
  });
  REQUIRE(reply.has_value());
  CHECK(lines == 1);
}

TEST_CASE("an error instead of lines is in the reply") {
  HttpRig rig([](HttpRequest, HttpResponder responder) {
    responder.send({404, "{\"kind\":\"Error\"}\n", "application/json", {}});
  });
  auto call = call_to(rig.socket());
  int lines = 0;
  const auto reply =
      beside(rig, [&] { return http_lines(call, [&](std::string_view) { return ++lines > 0; }); });
  REQUIRE(reply.has_value());
  CHECK(reply->status == 404);
  CHECK(reply->body == "{\"kind\":\"Error\"}\n");
  CHECK(lines == 0);
}

TEST_CASE("a line without an end is refused at its bound") {
  std::optional<HttpStream> stream;
  HttpLimits limits;
  limits.max_stream_buffered_bytes = kMaxReplyLineBytes * 2;
  HttpRig rig(
      [&](HttpRequest, HttpResponder responder) {
        stream =
            responder.stream({200, std::string(kMaxReplyLineBytes + 1, 'x'), "text/plain", {}});
      },
      limits);
  auto call = call_to(rig.socket());
  const auto reply =
      beside(rig, [&] { return http_lines(call, [](std::string_view) { return true; }); });
  CHECK(reply.error().code == ErrorCode::limit);
}
