// http_connections_test.cpp - deadlines and counts per user, without sockets.
#include "runtime/http/http_connections.hpp"

#include <catch2/catch.hpp>

using namespace plimsoll;

namespace {

PeerCredentials user(uid_t uid) {
  PeerCredentials peer;
  peer.uid = uid;
  return peer;
}

const int kKeys[4] = {0, 1, 2, 3};

}  // namespace

TEST_CASE("each stage has its own deadline") {
  HttpConnections connections({});
  const void* key = &kKeys[0];
  const milliseconds begin(1000);
  REQUIRE(connections.add(key, 7, user(1), begin));

  SECTION("a new connection: header") {
    connections.request_begun(key, begin + milliseconds(1900));  // does not extend it
    CHECK(connections.take_overdue(begin + milliseconds(1999)).empty());
    const auto overdue = connections.take_overdue(begin + milliseconds(2000));
    REQUIRE(overdue.size() == 1);
    CHECK(overdue[0].fd == 7);
    CHECK(overdue[0].mid_request);
    CHECK(connections.take_overdue(begin + milliseconds(9000)).empty());  // told once
  }
  SECTION("a body") {
    connections.header_complete(key, begin);
    CHECK(connections.take_overdue(begin + milliseconds(4999)).empty());
    CHECK(connections.take_overdue(begin + milliseconds(5000)).size() == 1);
  }
  SECTION("none while the answer is made") {
    connections.header_complete(key, begin);
    connections.busy(key);
    CHECK(connections.take_overdue(begin + milliseconds(1'000'000)).empty());
  }
  SECTION("idle, then the next header") {
    connections.idle(key, begin);
    CHECK(connections.take_overdue(begin + milliseconds(59'999)).empty());
    connections.request_begun(key, begin + milliseconds(59'999));
    CHECK(connections.take_overdue(begin + milliseconds(61'000)).empty());
    CHECK(connections.take_overdue(begin + milliseconds(61'999)).size() == 1);
  }
  SECTION("left idle") {
    connections.idle(key, begin);
    const auto overdue = connections.take_overdue(begin + milliseconds(60'000));
    REQUIRE(overdue.size() == 1);
    CHECK_FALSE(overdue[0].mid_request);
  }
}

TEST_CASE("connections are counted per user, unknown users are not bounded") {
  HttpLimits limits;
  limits.max_connections_per_uid = 1;
  HttpConnections connections(limits);
  CHECK(connections.add(&kKeys[0], 1, user(5), {}));
  CHECK_FALSE(connections.add(&kKeys[1], 2, user(5), {}));
  CHECK(connections.add(&kKeys[2], 3, user(6), {}));
  CHECK(connections.add(&kKeys[3], 4, {}, {}));
  CHECK(connections.size() == 4);
  connections.remove(&kKeys[0]);
  CHECK(connections.add(&kKeys[0], 5, user(5), {}));
  CHECK(connections.peer(&kKeys[2]).uid == 6);
}
