// segment_crash_test.cpp - kill -9 at any instruction: the last whole value stays readable, nothing
// is half true.
#include <catch2/catch.hpp>

#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <string>

#include "schemas/codec.hpp"
#include "schemas/segment_layout.hpp"
#include "schemas/segment_page.hpp"
#include "shim/segment_format.hpp"
#include "shim/segment_writer.hpp"
#include "tests/support/child_process.hpp"

using namespace plimsoll;
using plimsoll::test::skip_without;

namespace {

constexpr std::size_t kRing = layout::kMinRingBytes;

// What the writer's process shares with the test: a segment, and how far it says it has got.
struct Shared {
  alignas(4096) std::byte segment[layout::kRingOffset + kRing];
  std::uint64_t begun;  // operations; by atomic_ref
  std::uint64_t returned;
};

std::atomic_ref<std::uint64_t> counter(std::uint64_t& of) {
  return std::atomic_ref(of);
}

class SharedMemory {
 public:
  SharedMemory()
      : at_(mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                 0)) {
    REQUIRE(at_ != MAP_FAILED);
    format_segment(segment(), {}, bytes_of_text(encode(Identity{})));
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory() { munmap(at_, sizeof(Shared)); }
  [[nodiscard]] Shared* operator->() const { return static_cast<Shared*>(at_); }
  [[nodiscard]] std::span<std::byte> segment() const { return static_cast<Shared*>(at_)->segment; }

 private:
  void* at_;
};

// Prepared before the child steps, so that only the writer's own instructions are counted.
struct Script {
  explicit Script(int operations) {
    for (int i = 1; i <= operations; ++i) {
      Sample sample;
      sample.completed = i;
      sample.total = -i;
      sample.description = std::string(static_cast<std::size_t>(i % 50), 'd');
      values.push_back(encode(sample));
      events.push_back(encode(UploadEvent{Severity::info, std::to_string(i), i}));
    }
  }
  std::vector<std::string> values;
  std::vector<std::string> events;
};

void write_all(Shared& shared, SegmentWriter& writer, const Script& script) {
  for (std::size_t i = 0; i < script.values.size(); ++i) {
    counter(shared.begun).store(i + 1);
    writer.write_value(bytes_of_text(script.values[i]));
    (void)writer.write_event(bytes_of_text(script.events[i]));
    counter(shared.returned).store(i + 1);
  }
}

// The laws of one moment, judged as after a death.
void check_moment(const SharedMemory& shared) {
  const auto returned = counter(shared->returned).load();
  const auto begun = counter(shared->begun).load();
  const auto bytes = std::span<const std::byte>(shared.segment());
  const auto verdict = judge_page(bytes.first(layout::kHotPageBytes), {bytes.size(), 0});
  const bool page_ok = verdict.ok() && verdict.page.payload_fault == SegmentFault::none &&
                       verdict.page.torn_slots == 0;
  if (!page_ok) FAIL("page " << word(verdict.fault) << " at operation " << begun);
  const HotPage& page = verdict.page;
  if (page.seq < returned || page.seq > begun) FAIL("value " << page.seq << " after " << returned);
  if (page.sample && page.sample->completed != static_cast<std::int64_t>(page.seq))
    FAIL("value of " << page.sample->completed << " under seq " << page.seq);
  const auto news = read_ring(bytes.subspan(layout::kRingOffset),
                              {page.marks, page.marks, first_cursor(page.marks, kRing)});
  if (news.fault != SegmentFault::none) FAIL("ring " << word(news.fault) << " at " << begun);
  const auto newest = news.events.empty() ? 0 : std::stoull(news.events.back().text);
  if (newest < returned && returned > 0) FAIL("event " << newest << " after " << returned);
}

bool step_once(pid_t child) {
  int status = 0;
  if (ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) != 0) return false;
  return waitpid(child, &status, 0) == child && WIFSTOPPED(status);
}

// A child that has been stopped right before it writes the script.
pid_t start_traced(const SharedMemory& shared, const Script& script) {
  const pid_t child = fork();
  if (child == 0) {
    SegmentWriter writer(shared.segment());
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(77);
    (void)raise(SIGSTOP);
    write_all(*shared.operator->(), writer, script);
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFSTOPPED(status) ? child : -1;
}

}  // namespace

TEST_CASE(
    "death after every single instruction leaves the newest returned value and event readable") {
  const SharedMemory shared;
  const Script script(80);  // the ring is written round more than once
  const pid_t child = start_traced(shared, script);
  if (skip_without(child > 0, "ptrace")) return;
  std::uint64_t steps = 0;
  std::uint64_t moments = 0;  // between two stores to shared memory nothing can differ for a reader
  Shared before = {};
  while (step_once(child)) {
    ++steps;
    if (std::memcmp(&before, shared.operator->(), sizeof before) == 0) continue;
    std::memcpy(&before, shared.operator->(), sizeof before);
    ++moments;
    check_moment(shared);
  }
  CHECK(moments > 15 * script.values.size());
  CHECK(counter(shared->returned).load() == script.values.size());
  CHECK(steps > 1000);
  CHECK(judge_page(shared.segment().first(4096), {shared.segment().size(), 0}).page.marks.tail >
        kRing);
}

TEST_CASE("200 writers killed at random moments never leave a lie behind") {
  const Script script(2000);
  for (int round = 0; round < 200; ++round) {
    const SharedMemory shared;
    const pid_t child = fork();
    if (child == 0) {
      SegmentWriter writer(shared.segment());
      write_all(*shared.operator->(), writer, script);
      while (true)
        pause();
    }
    const auto until = static_cast<std::uint64_t>(round * 7919 % 1990);
    while (counter(shared->returned).load() < until) {
    }
    REQUIRE(kill(child, SIGKILL) == 0);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    check_moment(shared);
  }
}

TEST_CASE("a terminal record is missing or whole at every instruction of its writing") {
  const SharedMemory shared;
  Terminal terminal;
  terminal.outcome = Outcome::durable;
  terminal.stored_as = "snapshot";
  const auto payload = encode(terminal);
  const pid_t child = fork();
  if (child == 0) {
    SegmentWriter writer(shared.segment());
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(77);
    (void)raise(SIGSTOP);
    writer.write_terminal(bytes_of_text(payload));
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  if (skip_without(WIFSTOPPED(status), "ptrace")) return;
  int whole = 0;
  int missing = 0;
  while (step_once(child)) {
    const auto page = judge_page(shared.segment().first(4096), {shared.segment().size(), 0}).page;
    REQUIRE(page.terminal_state != TerminalSlotState::unverified);
    if (page.terminal) REQUIRE(page.terminal == terminal);
    ++(page.terminal ? whole : missing);
  }
  CHECK(whole > 0);
  CHECK(missing > 0);
}
