// judge_test.cpp - every combination of evidence, and the words that go with it.
#include <catch2/catch.hpp>

#include "agent/core/judge.hpp"
#include "schemas/text_bounds.hpp"

using namespace plimsoll;

namespace {

constexpr Duration kStall = std::chrono::minutes(2);

Evidence live() {
  Evidence evidence;
  evidence.lock_held = true;
  evidence.has_sample = true;
  evidence.activity = Activity::sending;
  return evidence;
}

// The table of the design, written out once more without looking at the code.
AttemptState expected(const Evidence& evidence) {
  if (evidence.terminal) return AttemptState::ended;
  if (!evidence.lock_held) return AttemptState::lost;
  if (!evidence.readable) return AttemptState::unreadable;
  if (evidence.cancel_asked) return AttemptState::cancelling;
  if (!evidence.has_sample) return AttemptState::waiting;
  return evidence.count_age >= kStall ? AttemptState::stalled : AttemptState::running;
}

}  // namespace

TEST_CASE(
    "every combination of lock, result, cancel, page, sample and age has its state and a reason") {
  Terminal terminal;
  terminal.outcome = Outcome::durable;
  for (unsigned bits = 0; bits < 64; ++bits) {
    Evidence evidence;
    evidence.lock_held = (bits & 1U) != 0;
    evidence.cancel_asked = (bits & 2U) != 0;
    evidence.readable = (bits & 4U) != 0;
    evidence.has_sample = (bits & 8U) != 0;
    evidence.terminal = (bits & 16U) != 0 ? &terminal : nullptr;
    evidence.count_age = (bits & 32U) != 0 ? kStall : kStall - milliseconds(1);
    CAPTURE(bits);
    const auto verdict = judge(evidence, kStall);
    CHECK(verdict.state == expected(evidence));
    CHECK_FALSE(verdict.reason.empty());
    CHECK(verdict.reason.size() <= kMaxReasonBytes);
  }
}

TEST_CASE("a result counts even while the mover still holds its lock") {
  auto evidence = live();
  Terminal terminal;
  terminal.outcome = Outcome::failed;
  terminal.err = "no space left at the destination";
  evidence.terminal = &terminal;
  const auto verdict = judge(evidence, kStall);
  CHECK(verdict.state == AttemptState::ended);
  CHECK(verdict.reason == "no space left at the destination");
}

TEST_CASE("all bytes sent is not completion: without a result a mover that left is lost") {
  auto evidence = live();
  evidence.activity = Activity::finishing;
  CHECK(judge(evidence, kStall).state == AttemptState::running);
  evidence.lock_held = false;
  CHECK(judge(evidence, kStall).state == AttemptState::lost);
}

TEST_CASE("while finishing or waiting a count may rest five times as long") {
  for (const auto activity : {Activity::finishing, Activity::waiting}) {
    auto evidence = live();
    evidence.activity = activity;
    evidence.count_age = 5 * kStall - milliseconds(1);
    CHECK(judge(evidence, kStall).state == AttemptState::running);
    evidence.count_age = 5 * kStall;
    CHECK(judge(evidence, kStall).state == AttemptState::stalled);
  }
}

TEST_CASE("the reason of a stall says whether the mover still calls") {
  auto evidence = live();
  evidence.count_age = kStall;
  evidence.silence = seconds(1);
  CHECK(judge(evidence, kStall).reason == "no progress for 2m; the mover still calls");
  evidence.silence = kSilentAfter;
  CHECK(judge(evidence, kStall).reason == "no progress for 2m; the mover is silent");
}

TEST_CASE("a mover that is gone after a cancel was asked gets its record from the agent") {
  auto evidence = live();
  evidence.cancel_asked = true;
  CHECK_FALSE(terminal_after_cancel(evidence, Sample{}));  // it still works on it
  evidence.lock_held = false;
  Sample last;
  last.completed = 40;
  last.total = 100;
  const auto made = terminal_after_cancel(evidence, last);
  REQUIRE(made);
  CHECK(made->outcome == Outcome::canceled);
  CHECK(made->err == "gone after a cancel");
  CHECK(made->completed == 40);
  evidence.cancel_asked = false;
  CHECK_FALSE(terminal_after_cancel(evidence, last));  // just lost
  evidence.cancel_asked = true;
  Terminal own;
  own.outcome = Outcome::durable;
  evidence.terminal = &own;
  CHECK_FALSE(terminal_after_cancel(evidence, last));  // its own result stands
}

TEST_CASE("a removed or broken segment without a result is lost, and says why") {
  Evidence evidence;
  evidence.file_gone = true;
  CHECK(judge(evidence, kStall).reason == "the segment was removed before the mover left a result");
  evidence.file_gone = false;
  evidence.readable = false;
  CHECK(judge(evidence, kStall).state == AttemptState::lost);
}
