// http_limits_test.cpp - too large, too slow, too many.
#include <unistd.h>

#include <vector>

#include "tests/unit/runtime/http_rig.hpp"

using namespace plimsoll;
using namespace plimsoll::test;

namespace {

HttpLimits quick() {
  HttpLimits limits;
  limits.header_deadline = milliseconds(60);
  limits.request_deadline = milliseconds(120);
  limits.idle_deadline = milliseconds(300);
  return limits;
}

}  // namespace

TEST_CASE("a body announced as too large is refused before it is sent") {
  HttpRig rig(echo, {.max_body_bytes = 1000});
  RawClient client(rig.socket());
  REQUIRE(client.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n"));
  CHECK(rig.until([&] { return client.has("\"status\":413"); }));
  CHECK(client.received().find("HTTP/1.1 413") == 0);
  CHECK(client.received().find("Connection: close") != std::string::npos);
  CHECK(rig.until([&] { return client.closed_by_peer(); }));
  CHECK(rig.server->counters().too_large == 1);
}

TEST_CASE("a body exactly at the limit passes, through the client too") {
  HttpRig rig(echo, {.max_body_bytes = 1000});
  HttpCall call;
  call.method = "POST";
  call.body = std::string(1000, 'b');
  const auto fits = rig.call(call);
  REQUIRE(fits.has_value());
  CHECK(fits->status == 200);
  call.body += 'b';
  const auto refused = rig.call(call);
  REQUIRE(refused.has_value());
  CHECK(refused->status == 413);
}

TEST_CASE("a chunked body that grows too large gets its 413 at the end") {
  HttpRig rig(echo, {.max_body_bytes = 1000});
  RawClient client(rig.socket());
  REQUIRE(client.send("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"));
  for (int i = 0; i < 3; ++i)
    REQUIRE(client.send("1f4\r\n" + std::string(500, 'x') + "\r\n"));
  REQUIRE(client.send("0\r\n\r\n"));
  CHECK(rig.until([&] { return client.has("\"status\":413"); }));
}

TEST_CASE("a chunked flood is cut off") {
  HttpRig rig(echo, {.max_body_bytes = 1000});
  RawClient client(rig.socket());
  REQUIRE(client.send("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"));
  CHECK(rig.until([&] {
    (void)client.send("1f4\r\n" + std::string(500, 'x') + "\r\n");
    return client.closed_by_peer();
  }));
}

TEST_CASE("a header that drips in is cut off at its deadline, a good client is served meanwhile") {
  HttpRig rig(echo, quick());
  RawClient slow(rig.socket());
  REQUIRE(slow.send("GET / HTTP/1.1\r\nHo"));
  CHECK(rig.get("/good").has_value());
  CHECK(rig.until([&] {
    (void)slow.send("x");  // never silent, so no inactivity timeout would see it
    return slow.closed_by_peer();
  }));
  CHECK(slow.received().empty());
  CHECK(rig.server->counters().too_slow >= 1);
}

TEST_CASE("a client that says nothing is cut off") {
  HttpRig rig(echo, quick());
  RawClient silent(rig.socket());
  CHECK(rig.until([&] { return silent.closed_by_peer(); }));
  CHECK(rig.until([&] { return rig.server->connections() == 0; }));
}

TEST_CASE("a body that drips in is cut off at its deadline") {
  HttpRig rig(echo, quick());
  RawClient slow(rig.socket());
  REQUIRE(slow.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n"));
  CHECK(rig.until([&] {
    (void)slow.send("x");
    return slow.closed_by_peer();
  }));
}

TEST_CASE("a connection left idle is closed, and counts as no slow one") {
  HttpRig rig(echo, quick());
  RawClient client(rig.socket());
  REQUIRE(client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
  CHECK(rig.until([&] { return client.has("GET /"); }));
  CHECK(rig.until([&] { return client.closed_by_peer(); }));
  CHECK(rig.server->counters().too_slow == 0);
}

TEST_CASE("one user's connections are bounded, and a freed one can be used again") {
  HttpRig rig(echo, {.max_connections_per_uid = 2});
  std::vector<RawClient> clients;
  for (int i = 0; i < 2; ++i) {
    clients.emplace_back(rig.socket());
    REQUIRE(clients.back().send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n"));
    CHECK(rig.until([&] { return clients.back().has("GET /a"); }));
  }
  RawClient third(rig.socket());
  CHECK(rig.until([&] { return third.closed_by_peer(); }));
  CHECK(third.received().find("HTTP/1.1 429") == 0);
  CHECK(third.received().find("\"status\":429") != std::string::npos);
  CHECK(rig.server->counters().refused_per_uid == 1);
  clients.pop_back();
  CHECK(rig.until([&] { return rig.server->connections() == 1; }));
  const auto reply = rig.get("/");
  REQUIRE(reply.has_value());
  CHECK(reply->status == 200);
}

TEST_CASE("above the limit of all connections a client waits until one closes") {
  HttpRig rig(echo, {.max_connections = 2});
  std::vector<RawClient> clients;
  for (int i = 0; i < 2; ++i) {
    clients.emplace_back(rig.socket());
    REQUIRE(clients.back().send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n"));
    CHECK(rig.until([&] { return clients.back().has("GET /a"); }));
  }
  RawClient third(rig.socket());
  REQUIRE(third.send("GET /b HTTP/1.1\r\nHost: x\r\n\r\n"));
  CHECK_FALSE(rig.loop.run_until([&] { return third.has("GET /b"); }, milliseconds(50)));
  clients.pop_back();
  CHECK(rig.until([&] { return third.has("GET /b"); }));
}

TEST_CASE("what is no HTTP at all is refused and closed") {
  HttpRig rig(echo);
  for (const std::string& rubbish : {std::string("\x16\x03\x01\x02\x00\x01\r\n\r\n", 10),
                                     std::string(40'000, 'A'), std::string("GET\r\n\r\n")}) {
    RawClient client(rig.socket());
    REQUIRE(client.send(rubbish));
    CHECK(rig.until([&] { return client.closed_by_peer(); }));
    CHECK(client.received().find("HTTP/1.1 200") == std::string::npos);
  }
}
