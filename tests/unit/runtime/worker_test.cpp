// worker_test.cpp - blocking work beside the loop.
#include "runtime/worker.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <catch2/catch.hpp>

#include "runtime/loop.hpp"
#include "schemas/result.hpp"

using namespace plimsoll;

namespace {

constexpr milliseconds kWatchdog{60'000};

// Holds the worker's thread until opened.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

}  // namespace

TEST_CASE("jobs run in another thread, results come back in order to the loop's") {
  Loop loop;
  Worker worker(loop, 8);
  const auto here = std::this_thread::get_id();
  std::string order;
  for (const char c : {'a', 'b', 'c'}) {
    REQUIRE(worker.post([here] { PLIMSOLL_CHECK(std::this_thread::get_id() != here); },
                        [&order, c, here] {
                          CHECK(std::this_thread::get_id() == here);
                          order += c;
                        }));
  }
  CHECK(loop.run_until([&] { return order == "abc"; }, kWatchdog));
}

TEST_CASE("a full queue refuses and keeps nothing") {
  Loop loop;
  Gate gate;
  Worker worker(loop, 2);
  bool begun = false;
  REQUIRE(worker.post(
      [&] {
        loop.post([&] { begun = true; });
        gate.pass();
      },
      nullptr));
  REQUIRE(loop.run_until([&] { return begun; }, kWatchdog));
  CHECK(worker.post([] {}, nullptr));
  CHECK(worker.post([] {}, nullptr));
  CHECK(worker.queued() == 2);
  CHECK_FALSE(worker.post([] {}, nullptr));
  gate.open();
}

TEST_CASE("destruction does the queued jobs and drops what would have come back") {
  Loop loop;
  int jobs = 0;
  int results = 0;
  {
    Worker worker(loop, 8);
    for (int i = 0; i < 5; ++i)
      REQUIRE(worker.post([&] { ++jobs; }, [&] { ++results; }));
  }
  CHECK(jobs == 5);
  CHECK_FALSE(loop.run_until([] { return false; }, milliseconds(5)));
  CHECK(results == 0);
}

TEST_CASE("a result may destroy the worker") {
  Loop loop;
  auto worker = std::make_unique<Worker>(loop, 8);
  int results = 0;
  for (int i = 0; i < 3; ++i) {
    REQUIRE(worker->post([] {},
                         [&] {
                           ++results;
                           worker.reset();
                         }));
  }
  CHECK(loop.run_until([&] { return worker == nullptr; }, kWatchdog));
  CHECK(results == 1);
}
