// loop_test.cpp - the loop, timers, signals and descriptor watches.
#include "runtime/loop.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <memory>
#include <thread>

#include <catch2/catch.hpp>

#include "runtime/fd_watch.hpp"
#include "runtime/signals.hpp"
#include "runtime/timer.hpp"
#include "runtime/unique_fd.hpp"

using namespace plimsoll;

namespace {
constexpr milliseconds kWatchdog{60'000};
}

TEST_CASE("posted jobs run in order in the loop's thread") {
  Loop loop;
  std::string order;
  std::thread other([&] {
    for (const char c : {'a', 'b', 'c'})
      loop.post([&order, c] { order += c; });
    loop.post([&loop] { loop.stop(); });
  });
  loop.run();
  other.join();
  CHECK(order == "abc");
}

TEST_CASE("jobs posted and never run are dropped with the loop") {
  auto held = std::make_unique<int>(7);
  {
    Loop loop;
    loop.post([owned = std::make_shared<std::unique_ptr<int>>(std::move(held))] { FAIL("ran"); });
  }
  SUCCEED("and the leak checker agrees");
}

TEST_CASE("run_until says when the watchdog ended it") {
  Loop loop;
  CHECK_FALSE(loop.run_until([] { return false; }, milliseconds(1)));
  CHECK(loop.run_until([] { return true; }, milliseconds(1)));
}

TEST_CASE("a loop can run again after it was stopped") {
  Loop loop;
  int runs = 0;
  for (int i = 0; i < 2; ++i) {
    loop.post([&] {
      ++runs;
      loop.stop();
    });
    loop.run();
  }
  CHECK(runs == 2);
}

TEST_CASE("the function of the turn runs after the callbacks and before the loop waits") {
  Loop loop;
  int queued = 0;
  int drained = 0;
  loop.on_turn([&] { drained += std::exchange(queued, 0); });
  Timer timer(loop, [&] { queued += 1; });
  timer.start_once(milliseconds(1));
  // Nothing else wakes the loop: if the turn came before the timer, this would wait for ever.
  CHECK(loop.run_until([&] { return drained == 1; }, kWatchdog));
  loop.post([&] { queued += 5; });
  CHECK(loop.run_until([&] { return drained == 6; }, kWatchdog));
}

TEST_CASE("a timer calls once, again and again, and not after stop") {
  Loop loop;
  int once = 0;
  int often = 0;
  Timer first(loop, [&] { ++once; });
  Timer second(loop, [&] {
    if (++often == 3) second.stop();
  });
  first.start_once(milliseconds(0));
  second.start_every(milliseconds(1));
  CHECK(loop.run_until([&] { return often == 3; }, kWatchdog));
  CHECK(once == 1);
  CHECK_FALSE(second.active());
}

TEST_CASE("a timer may be destroyed and replaced inside its own callback") {
  Loop loop;
  std::string order;
  std::unique_ptr<Timer> timer;
  timer = std::make_unique<Timer>(loop, [&, text = std::string(100, 'x')] {
    timer = std::make_unique<Timer>(loop, [&] { order += 'b'; });
    timer->start_once(milliseconds(0));
    order += text.size() == 100 ? 'a' : '?';  // what the callback holds must still be there
  });
  timer->start_once(milliseconds(0));
  CHECK(loop.run_until([&] { return order == "ab"; }, kWatchdog));
}

TEST_CASE("a moved timer goes on, the one moved over ends") {
  Loop loop;
  int kept = 0;
  int replaced = 0;
  Timer a(loop, [&] { ++kept; });
  Timer b(loop, [&] { ++replaced; });
  a.start_every(milliseconds(1));
  b.start_every(milliseconds(1));
  b = std::move(a);
  CHECK(loop.run_until([&] { return kept == 3; }, kWatchdog));
  CHECK(replaced == 0);
}

TEST_CASE("a signal becomes a call") {
  Loop loop;
  int calls = 0;
  SignalWatch watch(loop, SIGUSR1, [&] { ++calls; });
  REQUIRE(::raise(SIGUSR1) == 0);
  CHECK(loop.run_until([&] { return calls == 1; }, kWatchdog));
}

TEST_CASE("a descriptor watch tells of readable bytes and of the peer's end") {
  Loop loop;
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
  const UniqueFd mine(ends[0]);
  UniqueFd theirs(ends[1]);
  FdReady last;
  auto watch = FdWatch::create(loop, mine.get(), [&](FdReady ready) { last = ready; });
  REQUIRE(watch.has_value());
  watch->start(true, false);
  REQUIRE(::write(theirs.get(), "x", 1) == 1);
  CHECK(loop.run_until([&] { return last.readable; }, kWatchdog));
  CHECK_FALSE(last.hung_up);
  theirs.reset();
  CHECK(loop.run_until([&] { return last.hung_up; }, kWatchdog));
  watch->start(false, true);
  CHECK(loop.run_until([&] { return last.writable; }, kWatchdog));
}

TEST_CASE("a descriptor that cannot be watched is refused") {
  Loop loop;
  UniqueFd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  REQUIRE(file);
  CHECK_FALSE(FdWatch::create(loop, file.get(), [](FdReady) {}).has_value());
}
