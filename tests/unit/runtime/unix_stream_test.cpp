// unix_stream_test.cpp - streams between two ends in one loop.
#include "runtime/socket/unix_stream.hpp"

#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <optional>

#include "runtime/loop.hpp"
#include "runtime/socket/unix_socket.hpp"
#include "tests/unit/runtime/temporary_directory.hpp"

using namespace plimsoll;
using plimsoll::test::TemporaryDirectory;

namespace {

constexpr milliseconds kWatchdog{60'000};

// A listener, and both ends of one connection.
struct Pair {
  Pair() {
    auto fd = listen_unix(path(), 0600);
    REQUIRE(fd.has_value());
    listener = UnixListener(loop, std::move(*fd), [this](UnixStream stream, PeerCredentials peer) {
      server = std::move(stream);
      server_sees = peer;
    });
    auto connected = connect_unix(loop, path());
    REQUIRE(connected.has_value());
    client = std::move(*connected);
    REQUIRE(until([&] { return !server.closed(); }));
  }
  std::string path() const { return directory / "s.sock"; }
  bool until(const std::function<bool()>& done) { return loop.run_until(done, kWatchdog); }
  void server_listens() {
    server.start([this](std::string_view bytes) { got += bytes; },
                 [this](Error error) { closed_with = error; });
  }

  TemporaryDirectory directory;
  Loop loop;
  UnixListener listener;
  UnixStream client;
  UnixStream server;
  PeerCredentials server_sees;
  std::string got;
  std::optional<Error> closed_with;
};

}  // namespace

TEST_CASE("bytes arrive, and the listener knows who connected") {
  Pair pair;
  pair.server_listens();
  CHECK(pair.server_sees.uid == ::geteuid());
  CHECK(pair.client.peer().value().pid == ::getpid());
  REQUIRE(pair.client.write("hello ").has_value());
  REQUIRE(pair.client.write("there").has_value());
  CHECK(pair.until([&] { return pair.got == "hello there"; }));
}

TEST_CASE("more than the kernel takes at once arrives whole and in order") {
  Pair pair;
  pair.server_listens();
  std::string sent;
  for (int i = 0; i < 40; ++i) {
    const std::string piece(50'000, static_cast<char>('a' + i % 26));
    sent += piece;
    REQUIRE(pair.client.write(piece).has_value());
  }
  CHECK(pair.client.queued_bytes() > 0);
  CHECK(pair.until([&] { return pair.got.size() == sent.size(); }));
  CHECK(pair.got == sent);
  CHECK(pair.client.queued_bytes() == 0);
}

TEST_CASE("a queue above its bound refuses and keeps what it had") {
  Pair pair;
  pair.client.set_max_queued_bytes(1'000'000);
  std::size_t accepted = 0;
  Result<void> last;
  while (last && accepted < 100) {
    last = pair.client.write(std::string(100'000, 'x'));
    if (last) ++accepted;
  }
  REQUIRE_FALSE(last.has_value());
  CHECK(last.error().code == ErrorCode::limit);
  CHECK(pair.client.queued_bytes() <= 1'000'000);
  pair.server_listens();
  CHECK(pair.until([&] { return pair.got.size() == accepted * 100'000; }));
}

TEST_CASE("what was sent before a close is read before the close is told") {
  Pair pair;
  REQUIRE(pair.client.write("last words").has_value());
  pair.client.close();
  CHECK(pair.client.closed());
  CHECK(pair.client.write("x").error().code == ErrorCode::closed);
  pair.server_listens();
  CHECK(pair.until([&] { return pair.closed_with.has_value(); }));
  CHECK(pair.got == "last words");
  CHECK(pair.closed_with->code == ErrorCode::closed);
  CHECK(pair.server.closed());
}

TEST_CASE("writing to a peer that has gone is an error, not a signal, and the close is told once") {
  Pair pair;
  pair.client.close();
  const auto first = pair.server.write(std::string(10, 'x'));
  REQUIRE_FALSE(first.has_value());
  CHECK(first.error().code == ErrorCode::closed);
  pair.server_listens();
  CHECK(pair.until([&] { return pair.closed_with.has_value(); }));
}

TEST_CASE("a stream may be destroyed inside each of its callbacks") {
  Pair pair;
  auto owned = std::make_unique<UnixStream>(std::move(pair.server));
  int calls = 0;
  const bool on_bytes = GENERATE(true, false);
  owned->start(
      [&, text = std::string(100, 'x')](std::string_view) {
        if (on_bytes) owned.reset();
        calls += text.size() == 100 ? 1 : 100;  // what the callback holds must still be there
      },
      [&, text = std::string(100, 'x')](const Error&) {
        owned.reset();
        calls += text.size() == 100 ? 10 : 1000;
      });
  REQUIRE(pair.client.write(std::string(200'000, 'x')).has_value());
  if (!on_bytes) {
    CHECK(pair.until([&] { return pair.client.queued_bytes() == 0; }));
    pair.client.close();
  }
  CHECK(pair.until([&] { return owned == nullptr; }));
  CHECK((on_bytes ? calls == 1 : calls >= 11));
}

TEST_CASE("no callback comes after close") {
  Pair pair;
  pair.server_listens();
  REQUIRE(pair.client.write("x").has_value());
  pair.server.close();
  pair.client.close();
  CHECK_FALSE(pair.loop.run_until([] { return false; }, milliseconds(5)));
  CHECK(pair.got.empty());
  CHECK_FALSE(pair.closed_with.has_value());
}

TEST_CASE("a paused reader leaves the bytes in the kernel") {
  Pair pair;
  pair.server_listens();
  pair.server.pause_reading();
  REQUIRE(pair.client.write("x").has_value());
  CHECK_FALSE(pair.loop.run_until([&] { return !pair.got.empty(); }, milliseconds(5)));
  pair.server.resume_reading();
  CHECK(pair.until([&] { return pair.got == "x"; }));
}

TEST_CASE("a listener may be destroyed inside its own callback") {
  const TemporaryDirectory directory;
  Loop loop;
  auto fd = listen_unix(directory / "s.sock", 0600);
  REQUIRE(fd.has_value());
  int accepted = 0;
  auto listener = std::make_unique<UnixListener>();
  *listener = UnixListener(loop, std::move(*fd), [&](UnixStream, const PeerCredentials&) {
    ++accepted;
    listener.reset();
  });
  const auto one = connect_unix_fd(directory / "s.sock");
  const auto two = connect_unix_fd(directory / "s.sock");
  REQUIRE((one && two));
  CHECK(loop.run_until([&] { return listener == nullptr; }, kWatchdog));
  CHECK(accepted == 1);
}

TEST_CASE("connecting to nobody is an error at once") {
  const TemporaryDirectory directory;
  Loop loop;
  CHECK(connect_unix(loop, directory / "missing").error().code == ErrorCode::unreachable);
}

TEST_CASE("without descriptors a listener waits, and accepts once there are some") {
  Pair pair;
  pair.server.close();
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  auto waiting = connect_unix_fd(pair.path());
  REQUIRE(waiting.has_value());
  rlimit tight = before;
  tight.rlim_cur = 3;  // below what is open: nothing new can be opened
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &tight) == 0);
  const bool early = pair.loop.run_until([&] { return !pair.server.closed(); }, milliseconds(20));
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK_FALSE(early);
  CHECK(pair.until([&] { return !pair.server.closed(); }));
}
