// uplink_client_test.cpp - frames over a real socket; a broken one ends the connection and nothing
// else.
#include <catch2/catch.hpp>

#include "agent/io/uplink_client.hpp"
#include "runtime/socket/unix_socket.hpp"
#include "runtime/socket/unix_stream.hpp"
#include "schemas/uplink_codec.hpp"
#include "tests/unit/runtime/temporary_directory.hpp"

using namespace plimsoll;
using plimsoll::test::TemporaryDirectory;

namespace {

constexpr milliseconds kPatience{60'000};

struct ControllerRig {
  ControllerRig() {
    auto fd = listen_unix(path, 0600);
    REQUIRE(fd);
    listener =
        UnixListener(loop, std::move(*fd), [this](UnixStream stream, const PeerCredentials&) {
          peer = std::move(stream);
          peer.start([this](std::string_view bytes) { decoder.push(bytes); }, [](const Error&) {});
        });
  }
  std::optional<UplinkMessage> next() {
    auto table = decoder.next();
    if (!table || !*table) return std::nullopt;
    auto message = decode_uplink(bytes_of_text(**table));
    REQUIRE(message);
    return *message;
  }
  template <typename Wanted>
  bool got() const {
    return std::any_of(events.begin(), events.end(),
                       [](const Event& e) { return std::holds_alternative<Wanted>(e); });
  }

  TemporaryDirectory directory;
  std::string path = directory / "uplink.sock";
  Loop loop;
  UnixStream peer;
  FrameDecoder decoder;
  std::vector<Event> events;
  UnixListener listener;
  UplinkClient client{loop, path, [this](Event event) { events.push_back(std::move(event)); }};
};

}  // namespace

TEST_CASE("what the agent sends arrives, and what the controller answers becomes an event") {
  ControllerRig rig;
  rig.client.dial();
  REQUIRE(rig.got<LinkOpened>());
  Hello hello;
  hello.node = "node-1";
  rig.client.send(hello);
  std::optional<UplinkMessage> message;
  REQUIRE(rig.loop.run_until([&] { return (message = rig.next()).has_value(); }, kPatience));
  CHECK(std::get<Hello>(*message).node == "node-1");
  REQUIRE(rig.peer.write(frame(encode_uplink(Ping{3, 4, true}))));
  REQUIRE(rig.loop.run_until([&] { return rig.got<MessageReceived>(); }, kPatience));
  CHECK(std::get<Ping>(std::get<MessageReceived>(rig.events.back()).message) == Ping{3, 4, true});
}

TEST_CASE("nobody there is LinkFailed, a peer that goes is LinkClosed") {
  ControllerRig rig;
  UplinkClient nobody(rig.loop, rig.directory / "none.sock",
                      [&](Event event) { rig.events.push_back(std::move(event)); });
  nobody.dial();
  CHECK(rig.got<LinkFailed>());
  rig.client.dial();
  REQUIRE(rig.loop.run_until([&] { return !rig.peer.closed(); }, kPatience));
  rig.peer.close();
  CHECK(rig.loop.run_until([&] { return rig.got<LinkClosed>(); }, kPatience));
}

TEST_CASE("a broken frame of any kind closes the connection") {
  auto wrong_crc = frame(encode_uplink(Ping{1, 1, false}));
  wrong_crc[5] = static_cast<char>(wrong_crc[5] ^ 1);
  const std::string no_table = frame("this is no table at all, but the frame around it is right");
  const std::string zero_length(8, '\0');
  const std::string too_long("\xff\xff\xff\x7f\0\0\0\0", 8);
  for (const auto& bytes : {wrong_crc, no_table, zero_length, too_long}) {
    ControllerRig rig;
    rig.client.dial();
    REQUIRE(rig.loop.run_until([&] { return !rig.peer.closed(); }, kPatience));
    REQUIRE(rig.peer.write(bytes));
    CHECK(rig.loop.run_until([&] { return rig.got<LinkClosed>(); }, kPatience));
    CHECK_FALSE(rig.got<MessageReceived>());
    rig.client.dial();  // and it can dial again
    CHECK(std::holds_alternative<LinkOpened>(rig.events.back()));
  }
}
