// uplink_server_test.cpp - hostile and broken peers of the uplink socket, frame by frame.
#include <catch2/catch.hpp>

#include "controller/io/uplink_server.hpp"
#include "runtime/timer.hpp"
#include "schemas/uplink_codec.hpp"
#include "tests/unit/runtime/http_rig.hpp"

using namespace plimsoll;
using namespace plimsoll::test;

namespace {

class UplinkRig {
 public:
  explicit UplinkRig(std::vector<uid_t> agents = {::geteuid()}) {
    auto fd = listen_unix(path(), 0600);
    REQUIRE(fd.has_value());
    UplinkCallbacks callbacks;
    callbacks.on_opened = [this](ConnectionId id) { opened.push_back(id); };
    callbacks.on_closed = [this](ConnectionId id) { closed.push_back(id); };
    callbacks.on_message = [this](ConnectionId, UplinkMessage message) {
      messages.push_back(std::move(message));
    };
    callbacks.on_rejected = [this](UplinkRejection rejection, const PeerCredentials&) {
      rejected.push_back(rejection);
    };
    server.emplace(loop, std::move(*fd), std::move(agents), std::move(callbacks));
  }
  std::string path() const { return directory / "uplink.sock"; }
  bool until(const std::function<bool()>& done) {
    // The clients are plain sockets: nothing else wakes the loop when their side changes.
    plimsoll::Timer wake(loop, [] {});
    wake.start_every(milliseconds(10));
    return loop.run_until(done, kWatchdog);
  }

  TemporaryDirectory directory;
  Loop loop;
  std::vector<ConnectionId> opened, closed;
  std::vector<UplinkMessage> messages;
  std::vector<UplinkRejection> rejected;
  std::optional<UplinkServer> server;
};

std::string hello_frame() {
  Hello hello;
  hello.node = "node-a";
  hello.boot = BootId{1, 1};
  hello.agent = AgentId{2, 2};
  return frame(encode_uplink(hello));
}

void check_closed_for(UplinkRig& rig, RawClient& client, UplinkRejection reason) {
  REQUIRE(rig.until([&] { return client.closed_by_peer(); }));
  REQUIRE(rig.rejected.size() == 1);
  CHECK(word(rig.rejected[0]) == word(reason));
  CHECK(rig.server->rejected(reason) == 1);
  CHECK(rig.server->connections() == 0);
}

}  // namespace

TEST_CASE("a hello in single bytes is one message") {
  UplinkRig rig;
  RawClient client(rig.path());
  for (const char byte : hello_frame())
    REQUIRE(client.send(std::string(1, byte)));
  REQUIRE(rig.until([&] { return rig.messages.size() == 1; }));
  CHECK(std::get<Hello>(rig.messages[0]).node == "node-a");
  CHECK(rig.opened.size() == 1);
  client.close();
  REQUIRE(rig.until([&] { return rig.closed.size() == 1; }));
  CHECK(rig.rejected.empty());
}

TEST_CASE("bytes that do not verify close the connection") {
  UplinkRig rig;
  RawClient client(rig.path());
  SECTION("a wrong CRC") {
    auto bytes = hello_frame();
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    REQUIRE(client.send(bytes));
  }
  SECTION("zero length") {
    REQUIRE(client.send(std::string(8, '\0')));
  }
  SECTION("a giant length") {
    REQUIRE(
        client.send("\xff\xff\xff\x7f"
                    "abcd"));
  }
  SECTION("a good frame around nonsense") {
    REQUIRE(client.send(frame("no tables in here")));
  }
  check_closed_for(rig, client, UplinkRejection::bad_frame);
  CHECK(rig.messages.empty());
}

TEST_CASE("a wrong order of messages closes the connection") {
  UplinkRig rig;
  RawClient client(rig.path());
  SECTION("no hello first") {
    REQUIRE(client.send(frame(encode_uplink(Ping{1, 1, false}))));
    check_closed_for(rig, client, UplinkRejection::no_hello);
  }
  SECTION("a second hello") {
    REQUIRE(client.send(hello_frame() + hello_frame()));
    check_closed_for(rig, client, UplinkRejection::second_hello);
  }
  SECTION("what only a controller says") {
    REQUIRE(client.send(hello_frame() + frame(encode_uplink(Welcome{}))));
    check_closed_for(rig, client, UplinkRejection::wrong_side);
  }
  CHECK(rig.closed == rig.opened);
}

TEST_CASE("a peer of a wrong uid is told so and closed unheard") {
  UplinkRig rig({::geteuid() + 1});
  RawClient client(rig.path());
  (void)client.send(hello_frame());
  check_closed_for(rig, client, UplinkRejection::peer);
  CHECK(rig.opened.empty());
  FrameDecoder decoder;
  decoder.push(client.received());
  const auto table = decoder.next();
  REQUIRE((table && *table));
  const auto message = decode_uplink(bytes_of_text(**table));
  REQUIRE(message.has_value());
  CHECK(std::get<Refuse>(*message).code == RefuseCode::peer);
}

TEST_CASE("silence of six seconds closes, a whole frame in time does not") {
  UplinkRig rig;
  RawClient talker(rig.path());
  RawClient dripper(rig.path());
  REQUIRE(talker.send(hello_frame()));
  REQUIRE(dripper.send(hello_frame().substr(0, 5)));
  REQUIRE(rig.until([&] { return rig.messages.size() == 1 && rig.opened.size() == 2; }));
  TimePoint now{seconds(100)};
  rig.server->close_idle(now);
  now += seconds(5);
  REQUIRE(talker.send(frame(encode_uplink(Ping{1, 1, false}))));
  REQUIRE(dripper.send("x"));
  REQUIRE(rig.until([&] { return rig.messages.size() == 2; }));
  rig.server->close_idle(now);
  now += seconds(1);
  rig.server->close_idle(now);
  CHECK(rig.server->connections() == 1);
  CHECK(rig.server->rejected(UplinkRejection::idle) == 1);
  REQUIRE(rig.until([&] { return dripper.closed_by_peer(); }));
  now += kUplinkIdleLimit;
  rig.server->close_idle(now);
  CHECK(rig.server->connections() == 0);
}

TEST_CASE("an agent that does not read is closed before it costs more than its share") {
  UplinkRig rig;
  RawClient client(rig.path());
  REQUIRE(client.send(hello_frame()));
  REQUIRE(rig.until([&] { return rig.messages.size() == 1; }));
  Desired desired;
  desired.entries.resize(5000);
  for (int i = 0; i < 1000 && rig.closed.empty(); ++i)
    rig.server->send(rig.opened[0], desired);
  CHECK(rig.server->rejected(UplinkRejection::slow_reader) == 1);
  CHECK(rig.server->connections() == 0);
}

TEST_CASE("sending to a connection that is gone does nothing") {
  UplinkRig rig;
  rig.server->send(ConnectionId(77), Ping{});
  rig.server->close(ConnectionId(77));
  CHECK(rig.rejected.empty());
}
