// producer_test.cpp - one upload's mouth: numbers, texts, ends, disabled handles, threads, forks.
#include <catch2/catch.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

#include "schemas/segment_layout.hpp"
#include "shim/producer.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/segment_file.hpp"

using namespace plimsoll;
using plimsoll::test::run_in_child;
using plimsoll::test::SegmentDirectory;
using plimsoll::test::SegmentFile;

namespace {

std::atomic<std::uint64_t> allocations = 0;

ProducerOptions options_in(const std::string& directory) {
  ProducerOptions options;
  options.identity.backup = "nightly";
  options.identity.item = "persistentvolumeclaims/shop/data-0";
  options.directory = directory;
  return options;
}

std::string text_of(const Producer& producer) {
  char text[512];
  (void)producer.status_of(text, sizeof text);
  return text;
}

}  // namespace

// Counts what the shim allocates in this process; the shim is linked in statically here.
void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  ++allocations;
  return std::malloc(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}

TEST_CASE("an upload's life: waiting, numbers, text, events, durable") {
  const SegmentDirectory directory;
  auto options = options_in(directory.path());
  options.total = 500;
  options.made_by_run = true;
  Producer producer(options);
  REQUIRE(producer.is_open());
  CHECK(text_of(producer).find("reporting to " + directory.path()) == 0);
  const SegmentFile file(directory.only_segment());
  CHECK(file.identity().identity.item == "persistentvolumeclaims/shop/data-0");
  CHECK(file.identity().identity.opened_unix_ms > 0);
  CHECK(producer.beat() == ProducerStatus::ok);
  CHECK(producer.event(Severity::warning, "slow disk") == ProducerStatus::ok);
  CHECK(file.page().seq == 0);  // no number yet: waiting
  CHECK(file.page().heartbeat == 2);
  CHECK(producer.add(100) == ProducerStatus::ok);
  CHECK(file.page().sample->total == 500);
  CHECK(producer.update(150, -1) == ProducerStatus::ok);
  CHECK(producer.add(50) == ProducerStatus::ok);
  CHECK(producer.describe("in the middle") == ProducerStatus::ok);
  CHECK(producer.set_field(1, 77) == ProducerStatus::ok);
  CHECK(producer.set_field(5, 2) == ProducerStatus::ok);
  CHECK(producer.set_field(7, 2) == ProducerStatus::ok);
  const auto sample = file.page().sample.value();
  CHECK(sample.completed == 200);
  CHECK(sample.total == 500);
  CHECK(sample.read == 77);
  CHECK(sample.sent == -1);
  CHECK(sample.errors == 2);
  CHECK(sample.activity == Activity::sending);
  CHECK(sample.description == "in the middle");
  CHECK(producer.complete("snap-1") == ProducerStatus::ok);
  const auto terminal = file.page().terminal.value();
  CHECK(terminal.outcome == Outcome::durable);
  CHECK(terminal.err.empty());
  CHECK(terminal.stored_as == "snap-1");
  CHECK(terminal.completed == 200);
  CHECK(terminal.errors == 2);
  CHECK(file.events().events.at(0).text == "slow disk");
  CHECK(file.events().events.at(0).severity == Severity::warning);
}

TEST_CASE("the first end counts, everything after it is answered `ended` and changes nothing") {
  const SegmentDirectory directory;
  Producer producer(options_in(directory.path()));
  const SegmentFile file(directory.only_segment());
  CHECK(producer.update(1, 2) == ProducerStatus::ok);
  CHECK(producer.fail_upload("disk on fire", true) == ProducerStatus::ok);
  CHECK(producer.complete("x") == ProducerStatus::ended);
  CHECK(producer.canceled(nullptr) == ProducerStatus::ended);
  CHECK(producer.update(9, 9) == ProducerStatus::ended);
  CHECK(producer.add(1) == ProducerStatus::ended);
  CHECK(producer.describe("x") == ProducerStatus::ended);
  CHECK(producer.event(Severity::info, "x") == ProducerStatus::ended);
  CHECK(producer.status_of(nullptr, 0) == ProducerStatus::ended);
  const auto page = file.page();
  CHECK(page.terminal->outcome == Outcome::failed);
  CHECK(page.terminal->err == "disk on fire");
  CHECK(page.terminal->will_retry);
  CHECK(page.sample->completed == 1);
}

TEST_CASE("what was not durable says so in its first word") {
  const auto err_of = [](auto finish) {
    const SegmentDirectory directory;
    Producer producer(options_in(directory.path()));
    CHECK(finish(producer) == ProducerStatus::ok);
    return SegmentFile(directory.only_segment()).page().terminal->err;
  };
  CHECK(err_of([](Producer& p) { return p.fail_upload(nullptr, false); }) == "failed");
  CHECK(err_of([](Producer& p) { return p.incomplete("3 files unread", "s"); }) ==
        "incomplete: 3 files unread");
  CHECK(err_of([](Producer& p) { return p.incomplete("incomplete: x", nullptr); }) ==
        "incomplete: x");
  CHECK(err_of([](Producer& p) { return p.canceled(nullptr); }) == "canceled");
  CHECK(err_of([](Producer& p) { return p.fail_upload(std::string(600, 'e').c_str(), false); }) ==
        std::string(512, 'e'));
}

TEST_CASE("arguments out of range are refused and change nothing") {
  const SegmentDirectory directory;
  Producer producer(options_in(directory.path()));
  const SegmentFile file(directory.only_segment());
  CHECK(producer.update(-1, 5) == ProducerStatus::invalid);
  CHECK(producer.add(-1) == ProducerStatus::invalid);
  CHECK(producer.set_field(0, 1) == ProducerStatus::invalid);
  CHECK(producer.set_field(8, 1) == ProducerStatus::invalid);
  CHECK(producer.set_field(1, -2) == ProducerStatus::invalid);
  CHECK(producer.set_field(7, 5) == ProducerStatus::invalid);
  CHECK(producer.event(Severity::unknown, "x") == ProducerStatus::invalid);
  CHECK(producer.event(Severity::info, nullptr) == ProducerStatus::invalid);
  CHECK(file.page().seq == 0);
  CHECK(producer.update(INT64_MAX, 0) == ProducerStatus::ok);
  CHECK(producer.add(INT64_MAX) == ProducerStatus::ok);
  CHECK(file.page().sample->completed == INT64_MAX);
}

TEST_CASE("unchanged numbers beat, changed ones are a new value") {
  const SegmentDirectory directory;
  Producer producer(options_in(directory.path()));
  const SegmentFile file(directory.only_segment());
  CHECK(producer.update(0, 0) == ProducerStatus::ok);
  CHECK(producer.update(0, 0) == ProducerStatus::ok);
  CHECK(file.page().seq == 1);
  CHECK(file.page().heartbeat == 2);
  CHECK(producer.update(1, 0) == ProducerStatus::ok);
  CHECK(file.page().seq == 2);
  CHECK_FALSE(producer.cancel_requested());
  CHECK(file.page().heartbeat == 4);
}

TEST_CASE("a cancel is seen by the mover") {
  const SegmentDirectory directory;
  Producer producer(options_in(directory.path()));
  CHECK_FALSE(producer.cancel_requested());
  const int fd = open(directory.only_segment().c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(pwrite(fd, "\1", 1, layout::kCancelOffset) == 1);
  close(fd);
  CHECK(producer.cancel_requested());
}

TEST_CASE(
    "a handle that cannot report is disabled, says why, and reopens with the numbers of then") {
  const SegmentDirectory directory;
  Producer producer(options_in(directory.path() + "/later"));
  CHECK(producer.status_of(nullptr, 0) == ProducerStatus::no_directory);
  CHECK(text_of(producer).find("/later") != std::string::npos);
  CHECK(producer.update(7, 70) == ProducerStatus::disabled);
  CHECK(producer.add(3) == ProducerStatus::disabled);
  CHECK(producer.describe("x") == ProducerStatus::disabled);
  CHECK(producer.complete("x") == ProducerStatus::disabled);
  CHECK_FALSE(producer.cancel_requested());
  CHECK_FALSE(producer.segment_id());
  CHECK(producer.reopen(false) == ProducerStatus::no_directory);
  REQUIRE(mkdir((directory.path() + "/later").c_str(), 0700) == 0);
  CHECK(producer.reopen(true) == ProducerStatus::ok);
  CHECK(producer.beat() == ProducerStatus::ok);
  for (const auto& entry : std::filesystem::directory_iterator(directory.path() + "/later")) {
    const SegmentFile file(entry.path());
    CHECK(file.page().sample->completed == 10);
    CHECK(file.page().sample->total == 70);
    CHECK(file.identity().identity.auto_backup);
    CHECK(file.page().header.segment == producer.segment_id());
  }
}

TEST_CASE("bad options disable the handle with a clear code") {
  const SegmentDirectory directory;
  auto options = options_in(directory.path());
  options.ring_bytes = 5000;
  CHECK(Producer(options).status_of(nullptr, 0) == ProducerStatus::invalid);
  options.ring_bytes = 4096;
  options.identity.backup = "Not A Name";
  CHECK(Producer(options).status_of(nullptr, 0) == ProducerStatus::invalid);
  CHECK(directory.names().empty());
}

TEST_CASE("PLIMSOLL_DISABLE switches everything off") {
  const SegmentDirectory directory;
  const int rc = run_in_child([&] {
    setenv("PLIMSOLL_DISABLE", "1", 1);
    Producer producer(options_in(directory.path()));
    return static_cast<int>(producer.status_of(nullptr, 0));
  });
  CHECK(rc == static_cast<int>(ProducerStatus::disabled));
  CHECK(directory.names().empty());
}

TEST_CASE("after a fork the handle is the parent's: the child is told so, and holds no lock") {
  const SegmentDirectory directory;
  std::optional<Producer> producer;
  producer.emplace(options_in(directory.path()));
  REQUIRE(producer->update(5, 10) == ProducerStatus::ok);
  const SegmentFile file(directory.only_segment());
  int hold[2];
  int there[2];
  REQUIRE(pipe(hold) == 0);
  REQUIRE(pipe(there) == 0);
  const pid_t child = fork();
  char byte = 0;
  if (child == 0) {
    close(hold[1]);
    if (write(there[1], "y", 1) != 1) _exit(2);
    const bool told = producer->update(9, 10) == ProducerStatus::forked &&
                      producer->complete("x") == ProducerStatus::forked &&
                      producer->event(Severity::info, "x") == ProducerStatus::forked &&
                      !producer->cancel_requested() &&
                      producer->status_of(nullptr, 0) == ProducerStatus::forked;
    const bool released = read(hold[0], &byte, 1) == 0;  // lives until the parent has looked
    producer.reset();
    Producer own(options_in(directory.path()));
    _exit(told && released && own.update(1, 1) == ProducerStatus::ok ? 0 : 1);
  }
  close(hold[0]);
  REQUIRE(read(there[0], &byte, 1) == 1);
  CHECK(producer->update(6, 10) == ProducerStatus::ok);
  CHECK(file.is_locked());
  producer.reset();
  CHECK_FALSE(file.is_locked());  // though the child is still there
  for (const int fd : {hold[1], there[0], there[1]})
    close(fd);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(file.page().sample->completed == 6);
  CHECK_FALSE(file.page().terminal);
}

TEST_CASE("threads that add and update at once lose no count, and the last one is published") {
  for (int round = 0; round < 20; ++round) {
    const SegmentDirectory directory;
    Producer producer(options_in(directory.path()));
    constexpr int kThreads = 4;
    constexpr int kAdds = 5000;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&producer, t] {
        for (int i = 0; i < kAdds; ++i)
          (void)producer.add(1);
        (void)producer.set_field(1 + t, 1000 + t);
        (void)producer.describe(std::to_string(t).c_str());
        (void)producer.event(Severity::info, std::to_string(t).c_str());
      });
    for (auto& thread : threads)
      thread.join();
    const SegmentFile file(directory.only_segment());
    const auto sample = file.page().sample.value();
    CHECK(sample.completed == std::int64_t{kThreads} * kAdds);
    CHECK(sample.read == 1000);
    CHECK(sample.files_total == 1003);
    CHECK(sample.description.size() == 1);
    CHECK(file.events().events.size() == kThreads);
    CHECK(file.page().torn_slots == 0);
  }
}

TEST_CASE("a reader beside a fast writer never sees a torn or older value") {
  const SegmentDirectory directory;
  Producer producer(options_in(directory.path()));
  std::atomic<bool> over = false;
  std::thread writer([&] {
    for (int i = 1; i <= 300000; ++i)
      (void)producer.update(i, 2 * std::int64_t{i});
    over = true;
  });
  const SegmentFile file(directory.only_segment());
  std::uint64_t seen = 0;
  while (!over) {
    const auto page = file.page(seen);
    if (!page.sample) continue;
    if (page.sample->completed != static_cast<std::int64_t>(page.seq) || page.seq <= seen)
      FAIL("value " << page.sample->completed << " under seq " << page.seq);
    seen = page.seq;
  }
  writer.join();
  CHECK(file.page().sample->completed == 300000);
}

TEST_CASE("nothing is allocated after open") {
  const SegmentDirectory directory;
  Producer producer(options_in(directory.path()));
  REQUIRE(producer.is_open());
  const std::string long_text(600, 't');
  const auto before = allocations.load();
  for (int i = 0; i < 1000; ++i) {
    (void)producer.update(i, 1000);
    (void)producer.add(1);
    (void)producer.set_field(1, i);
    (void)producer.describe(long_text.c_str());
    (void)producer.event(Severity::info, long_text.c_str());
    (void)producer.cancel_requested();
  }
  (void)producer.incomplete(long_text.c_str(), long_text.c_str());
  CHECK(allocations.load() == before);
}
