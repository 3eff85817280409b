// http_server_test.cpp - requests and answers, at once and later.
#include "runtime/http/http_server.hpp"

#include <unistd.h>

#include <optional>
#include <vector>

#include "tests/unit/runtime/http_rig.hpp"

using namespace plimsoll;
using namespace plimsoll::test;

TEST_CASE("a request reaches the handler whole and its answer comes back") {
  std::optional<HttpRequest> seen;
  HttpRig rig([&](HttpRequest request, HttpResponder responder) {
    seen = std::move(request);
    responder.send({201, "made", "text/plain", {{"Retry-After", "5"}, {"Bad", "a\r\nEvil: 1"}}});
  });
  HttpCall call;
  call.method = "PUT";
  call.path = "/v1/items/a%2Fb%00?x=1%2B&y=a+b&x=2";
  call.body = std::string("bo\0dy", 5);
  const auto reply = rig.call(call);
  REQUIRE(reply.has_value());
  CHECK(reply->status == 201);
  CHECK(reply->body == "made");
  CHECK(reply->content_type == "text/plain");
  REQUIRE(seen.has_value());
  CHECK(seen->method == "PUT");
  CHECK(seen->path == "/v1/items/a%2Fb%00");  // raw: not unescaped, not cut
  CHECK(seen->query == QueryFields{{"x", "1+"}, {"y", "a b"}, {"x", "2"}});
  CHECK(seen->query_value("x") == "1+");
  CHECK_FALSE(seen->query_value("z").has_value());
  CHECK(seen->body == std::string("bo\0dy", 5));
  CHECK(seen->header("content-TYPE") == "application/json");
  CHECK(seen->peer.uid == ::geteuid());
  CHECK(seen->peer.pid == ::getpid());
}

TEST_CASE("one connection serves many requests, also pipelined ones") {
  HttpRig rig(echo);
  RawClient client(rig.socket());
  REQUIRE(client.send("GET /one HTTP/1.1\r\nHost: x\r\n\r\nGET /two HTTP/1.1\r\nHost: x\r\n\r\n"));
  CHECK(rig.until([&] { return client.has("GET /two"); }));
  REQUIRE(client.send("GET /three HTTP/1.1\r\nHost: x\r\n\r\n"));
  CHECK(rig.until([&] { return client.has("GET /three"); }));
  CHECK(rig.server->connections() == 1);
  CHECK(rig.server->counters().requests == 3);
}

TEST_CASE("an answer may come later, in any order") {
  std::vector<HttpResponder> waiting;
  HttpRig rig(
      [&](HttpRequest, HttpResponder responder) { waiting.push_back(std::move(responder)); });
  RawClient first(rig.socket());
  RawClient second(rig.socket());
  REQUIRE(first.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
  CHECK(rig.until([&] { return waiting.size() == 1; }));
  REQUIRE(second.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
  CHECK(rig.until([&] { return waiting.size() == 2; }));
  CHECK(waiting[0].waiting());
  waiting[1].send({200, "second", "text/plain", {}});
  CHECK(rig.until([&] { return second.has("second"); }));
  CHECK(first.received().empty());
  waiting[0].send({200, "first", "text/plain", {}});
  CHECK_FALSE(waiting[0].waiting());
  waiting[0].send({200, "again", "text/plain", {}});  // spent: nothing happens
  CHECK(rig.until([&] { return first.has("first"); }));
}

TEST_CASE("an answer dropped by its owner is a 500, now or later") {
  std::optional<HttpResponder> kept;
  HttpRig rig([&](const HttpRequest& request, HttpResponder responder) {
    if (request.path == "/later") kept.emplace(std::move(responder));
  });
  const auto at_once = rig.get("/");
  REQUIRE(at_once.has_value());
  CHECK(at_once->status == 500);
  CHECK(at_once->body.find("\"status\":500") != std::string::npos);
  RawClient client(rig.socket());
  REQUIRE(client.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n"));
  CHECK(rig.until([&] { return kept.has_value(); }));
  kept.reset();
  CHECK(rig.until([&] { return client.has("HTTP/1.1 500"); }));
}

TEST_CASE("the peer may go away while its answer is being made") {
  std::optional<HttpResponder> kept;
  HttpRig rig([&](HttpRequest, HttpResponder responder) { kept.emplace(std::move(responder)); });
  RawClient client(rig.socket());
  REQUIRE(client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
  CHECK(rig.until([&] { return kept.has_value(); }));
  client.close();
  CHECK(rig.until([&] { return !kept->waiting(); }));
  CHECK(rig.until([&] { return rig.server->connections() == 0; }));
  kept->send({200, "to nobody", "text/plain", {}});
}

TEST_CASE("a peer that only stopped sending still gets its answer") {
  std::optional<HttpResponder> kept;
  HttpRig rig([&](HttpRequest, HttpResponder responder) { kept.emplace(std::move(responder)); });
  RawClient client(rig.socket());
  REQUIRE(client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
  CHECK(rig.until([&] { return kept.has_value(); }));
  REQUIRE(::shutdown(client.fd(), SHUT_WR) == 0);
  CHECK_FALSE(rig.loop.run_until([&] { return !kept->waiting(); }, milliseconds(1200)));
  kept->send({200, "still here", "text/plain", {}});
  CHECK(rig.until([&] { return client.has("still here"); }));
}

TEST_CASE("a server that goes answers what waits with 503, and responders survive it") {
  std::optional<HttpResponder> kept;
  HttpRig rig([&](HttpRequest, HttpResponder responder) { kept.emplace(std::move(responder)); });
  RawClient client(rig.socket());
  REQUIRE(client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
  CHECK(rig.until([&] { return kept.has_value(); }));
  rig.server.reset();
  CHECK_FALSE(kept->waiting());
  kept->send({200, "too late", "text/plain", {}});
  CHECK(client.closed_by_peer());
  CHECK(client.received().find("HTTP/1.1 503") == 0);
}

TEST_CASE("a query that cannot be text is refused before the handler sees it") {
  int calls = 0;
  HttpRig rig([&](HttpRequest request, HttpResponder responder) {
    ++calls;
    echo(std::move(request), std::move(responder));
  });
  for (const char* path : {"/?a=%00", "/?a=%0a", "/?a=%ff", "/?%zz"}) {
    const auto reply = rig.get(path);
    REQUIRE(reply.has_value());
    CHECK(reply->status == 400);
    CHECK(reply->body.find("\"status\":400") != std::string::npos);
  }
  CHECK(calls == 0);
  CHECK(rig.server->counters().bad_query == 4);
}

TEST_CASE("HEAD has the headers of the answer and no body") {
  HttpRig rig(echo);
  HttpCall call;
  call.method = "HEAD";
  call.path = "/x";
  const auto reply = rig.call(call);
  REQUIRE(reply.has_value());
  CHECK(reply->status == 200);
  CHECK(reply->body.empty());
}

TEST_CASE("a large answer arrives whole") {
  const std::string large(5'000'000, 'y');
  HttpRig rig([&](HttpRequest, HttpResponder responder) {
    responder.send({200, large, "text/plain", {}});
  });
  const auto reply = rig.get("/");
  REQUIRE(reply.has_value());
  CHECK(reply->body == large);
}

TEST_CASE("many clients at once are all served") {
  HttpRig rig(echo, {.max_connections_per_uid = 100});
  std::vector<RawClient> clients;
  for (int i = 0; i < 60; ++i) {
    clients.emplace_back(rig.socket());
    REQUIRE(clients.back().send("GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\n\r\n"));
  }
  for (int i = 0; i < 60; ++i)
    CHECK(rig.until([&] {
      return clients[static_cast<std::size_t>(i)].has("GET /" + std::to_string(i) + " ");
    }));
}
