// http_stream_test.cpp - answers without an end, readers that go and readers that do not read.
#include <optional>
#include <vector>

#include "tests/unit/runtime/http_rig.hpp"

using namespace plimsoll;
using namespace plimsoll::test;

namespace {

// Every request becomes a stream.
struct StreamRig : HttpRig {
  explicit StreamRig(HttpLimits limits = {})
      : HttpRig(
            [this](HttpRequest, HttpResponder responder) {
              streams.push_back(responder.stream({200, "begin\n", "application/x-ndjson", {}}));
            },
            limits) {}
  ~StreamRig() { server.reset(); }  // before the streams it refers to; either order is safe
  RawClient reader() {
    RawClient client(socket());
    const std::size_t before = streams.size();
    REQUIRE(client.send("GET /watch HTTP/1.1\r\nHost: x\r\n\r\n"));
    REQUIRE(until([&] { return streams.size() == before + 1 && client.has("begin\n"); }));
    return client;
  }
  std::vector<HttpStream> streams;
};

}  // namespace

TEST_CASE("what is pushed arrives as it comes, and the end is a proper end") {
  StreamRig rig;
  auto client = rig.reader();
  CHECK(client.received().find("Transfer-Encoding: chunked") != std::string::npos);
  HttpStream& stream = rig.streams.front();
  REQUIRE(stream.push("one\n"));
  CHECK(rig.until([&] { return client.has("one\n"); }));
  CHECK(rig.until([&] { return stream.buffered_bytes() == 0; }));
  REQUIRE(stream.push("two\n"));
  stream.end();
  CHECK(stream.closed());
  CHECK_FALSE(stream.push("three\n"));
  CHECK(rig.until([&] { return client.has("\r\n0\r\n\r\n"); }));
  CHECK(client.has("two\n"));
  REQUIRE(client.send("GET /again HTTP/1.1\r\nHost: x\r\n\r\n"));  // the connection lives on
  CHECK(rig.until([&] { return rig.streams.size() == 2; }));
}

TEST_CASE("a reader that goes away is noticed without a push") {
  StreamRig rig;
  auto client = rig.reader();
  client.close();
  CHECK(rig.until([&] { return rig.streams.front().closed(); }));
  CHECK_FALSE(rig.streams.front().push("x"));
  CHECK(rig.until([&] { return rig.server->connections() == 0; }));
}

TEST_CASE("a reader that never reads is broken off at the bound, others are not disturbed") {
  HttpLimits limits;
  limits.max_stream_buffered_bytes = 100'000;
  StreamRig rig(limits);
  auto stuck = rig.reader();
  auto good = rig.reader();
  const std::string line(999, 'x');
  int pushed = 0;
  while (rig.streams.front().push(line + "\n") && pushed < 100'000)
    ++pushed;
  REQUIRE(pushed < 100'000);
  CHECK(rig.streams.front().closed());
  CHECK(rig.server->counters().streams_broken_off == 1);
  REQUIRE(rig.streams.back().push("still\n"));
  CHECK(rig.until([&] { return good.has("still\n"); }));
  CHECK(rig.until([&] { return stuck.closed_by_peer(); }));
  CHECK(stuck.received().find("\r\n0\r\n\r\n") == std::string::npos);  // cut, not ended
}

TEST_CASE("a slow reader gets everything, in order") {
  StreamRig rig;
  auto client = rig.reader();
  std::string expected;
  for (int i = 0; i < 2'000; ++i) {
    const std::string line = std::to_string(i) + std::string(500, 'z') + "\n";
    REQUIRE(rig.streams.front().push(line));
    expected += line;
  }
  CHECK(rig.streams.front().buffered_bytes() > 0);
  rig.streams.front().end();
  CHECK(rig.until([&] { return client.has("\r\n0\r\n\r\n"); }));
  // Take the chunks apart again.
  std::string body;
  const std::string& raw = client.received();
  std::size_t at = raw.find("\r\n\r\n") + 4;
  for (std::size_t size = 1; size > 0;) {
    size = std::stoul(raw.substr(at, 16), nullptr, 16);
    at = raw.find("\r\n", at) + 2;
    body += raw.substr(at, size);
    at += size + 2;
  }
  CHECK(body == "begin\n" + expected);
}

TEST_CASE("a stream dropped by its owner is cut, not ended") {
  StreamRig rig;
  auto client = rig.reader();
  rig.streams.clear();
  CHECK(rig.until([&] { return client.closed_by_peer(); }));
  CHECK(client.received().find("\r\n0\r\n\r\n") == std::string::npos);
}

TEST_CASE("a server that goes ends its streams, and their owners survive it") {
  StreamRig rig;
  auto client = rig.reader();
  REQUIRE(rig.streams.front().push("last\n"));
  rig.server.reset();
  CHECK(rig.streams.front().closed());
  CHECK_FALSE(rig.streams.front().push("x"));
  CHECK(client.closed_by_peer());
  CHECK(client.received().find("last\n") != std::string::npos);
  CHECK(client.received().find("\r\n0\r\n\r\n") != std::string::npos);
}

TEST_CASE("a handler may push to other streams while it runs") {
  std::vector<HttpStream> streams;
  HttpRig rig([&](const HttpRequest& request, HttpResponder responder) {
    if (request.path == "/watch") {
      streams.push_back(responder.stream({200, "begin\n", "text/plain", {}}));
      return;
    }
    for (auto& stream : streams)
      (void)stream.push("event\n");
    responder.send({});
  });
  RawClient watcher(rig.socket());
  REQUIRE(watcher.send("GET /watch HTTP/1.1\r\nHost: x\r\n\r\n"));
  CHECK(rig.until([&] { return watcher.has("begin\n"); }));
  CHECK(rig.get("/publish").has_value());
  CHECK(rig.until([&] { return watcher.has("event\n"); }));
  rig.server.reset();
}
