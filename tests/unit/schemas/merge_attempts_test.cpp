// merge_attempts_test.cpp - attempts to part, parts to upload: success is one explicit act, and
// nothing else is.
#include <rapidcheck/catch.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include "schemas/merge.hpp"

namespace plimsoll {
namespace {

AttemptView attempt(std::uint64_t number, AttemptState state = AttemptState::running) {
  AttemptView view;
  view.segment = SegmentId{number, 1};
  view.ordinal = static_cast<std::uint32_t>(number);
  view.state = state;
  view.sample.completed = 10;
  view.sample.total = 100;
  return view;
}

AttemptView ended(std::uint64_t number, Outcome outcome, const std::string& err = "") {
  AttemptView view = attempt(number, AttemptState::ended);
  view.terminal = Terminal{};
  view.terminal->outcome = outcome;
  view.terminal->err = err;
  return view;
}

AttemptView of_part(AttemptView view, const std::string& part) {
  view.part = part;
  return view;
}

UploadView merge(const std::vector<AttemptView>& attempts, std::uint32_t parts = 1) {
  return merge_attempts(attempts, parts);
}

AttemptView any_attempt(std::uint64_t number) {
  AttemptView view = attempt(number, static_cast<AttemptState>(*rc::gen::inRange(0, 8)));
  view.part = *rc::gen::element<std::string>("", "p1", "p2");
  view.ordinal = static_cast<std::uint32_t>(*rc::gen::inRange(1, 4));
  view.born_dead = *rc::gen::inRange(0, 4) == 0;
  view.given_up = *rc::gen::inRange(0, 3) == 0;
  view.sample.completed = *rc::gen::inRange<std::int64_t>(0, 1000);
  view.sample.total = *rc::gen::inRange<std::int64_t>(0, 1000);
  view.rate = *rc::gen::inRange(-1, 5);
  if (*rc::gen::inRange(0, 2) == 0) return view;
  view.terminal = Terminal{};
  view.terminal->outcome = static_cast<Outcome>(*rc::gen::inRange(0, 7));
  view.terminal->will_retry = *rc::gen::inRange(0, 2) == 0;
  return view;
}

TEST_CASE("no attempt is Pending") {
  const auto view = merge({});
  CHECK(view.state == UploadState::pending);
  CHECK_FALSE(view.progress.completed);
  CHECK(view.rate < 0);
}

TEST_CASE("the newest attempt counts, and a born dead one only where nothing else is") {
  auto dead = attempt(3, AttemptState::lost);
  dead.born_dead = true;
  CHECK(merge({attempt(1, AttemptState::lost), attempt(2)}).state == UploadState::running);
  CHECK(merge({attempt(2), dead}).state == UploadState::running);
  CHECK(merge({dead}).state == UploadState::lost);
  CHECK(merge({attempt(1), attempt(2)}).attempt == 2);
}

TEST_CASE("a durable attempt makes its part durable, though a newer one runs") {
  const auto view = merge({ended(1, Outcome::durable), attempt(2)});
  CHECK(view.outcome == Outcome::durable);
  CHECK(view.progress.completed);
  CHECK(view.progress.err.empty());
}

TEST_CASE("on success the total is the count; without last numbers the count is the total") {
  auto told = ended(1, Outcome::durable);
  told.sample.completed = 57;
  told.sample.total = 716;
  told.terminal->completed = 409;
  told.terminal->total = 716;
  CHECK(merge({told}).progress.items_completed == 409);
  CHECK(merge({told}).progress.items_to_complete == 409);
  auto silent = ended(1, Outcome::durable);
  silent.sample.completed = 74;
  CHECK(merge({silent}).progress.items_completed == 100);
  auto nothing = ended(1, Outcome::durable);
  nothing.sample = {};
  CHECK(merge({nothing}).progress.items_completed == 0);
  CHECK(merge({nothing}).progress.items_to_complete == 0);
}

TEST_CASE("a failure is for good at once, or once it was given up if it is to be retried") {
  CHECK(merge({ended(1, Outcome::failed, "no")}).progress.err == "no");
  auto retried = ended(1, Outcome::failed, "busy");
  retried.terminal->will_retry = true;
  CHECK_FALSE(merge({retried}).progress.completed);
  CHECK(merge({retried}).reason == "failed, to be tried again: busy");
  retried.given_up = true;
  CHECK(merge({retried}).state == UploadState::failed);
}

TEST_CASE("err names what happened: canceled, incomplete, lost, no result, unknown outcome") {
  CHECK(merge({ended(1, Outcome::canceled)}).progress.err == "canceled");
  CHECK(merge({ended(1, Outcome::canceled, "by root")}).progress.err == "canceled: by root");
  CHECK(merge({ended(1, Outcome::incomplete, "incomplete: 1 file")}).progress.err ==
        "incomplete: 1 file");
  CHECK(merge({ended(1, Outcome::none)}).progress.err == "mover ended without a result");
  CHECK(merge({ended(1, static_cast<Outcome>(9))}).state == UploadState::failed);
  auto lost = attempt(1, AttemptState::lost);
  CHECK_FALSE(merge({lost}).progress.completed);
  lost.given_up = true;
  lost.updated = WallTime(milliseconds(1'764'608'760'000));
  CHECK(merge({lost}).progress.err ==
        "mover left without a result (last seen 2025-12-01T17:06:00.000Z)");
}

TEST_CASE("parts: all that are needed must be durable, one that failed fails the upload") {
  const auto first = of_part(ended(1, Outcome::durable), "p1");
  const auto second = of_part(attempt(2), "p2");
  CHECK(merge({first}, 2).state == UploadState::waiting);
  CHECK(merge({first}, 2).reason == "1 of 2 parts were reported");
  CHECK(merge({first}, 2).progress.items_to_complete == 0);
  CHECK_FALSE(merge({first}, 0).progress.completed);
  CHECK(merge({first, second}, 2).state == UploadState::running);
  const auto durable = merge({first, of_part(ended(2, Outcome::durable), "p2")}, 2);
  CHECK(durable.outcome == Outcome::durable);
  CHECK(durable.progress.items_completed == 200);
  const auto failed = merge({second, of_part(ended(1, Outcome::failed, "no"), "p1")}, 2);
  CHECK(failed.outcome == Outcome::failed);
  CHECK(failed.progress.err == "part p1: no");
}

TEST_CASE("two attempts of one part are not two parts") {
  CHECK_FALSE(
      merge({of_part(ended(1, Outcome::durable), "p1"), of_part(ended(2, Outcome::durable), "p1")},
            2)
          .progress.completed);
}

TEST_CASE("the worst part decides what is shown: Lost, then Stalled") {
  const auto running = of_part(attempt(1), "p1");
  const auto stalled = of_part(attempt(2, AttemptState::stalled), "p2");
  const auto lost = of_part(attempt(3, AttemptState::lost), "p3");
  CHECK(merge({running, stalled}, 3).state == UploadState::stalled);
  CHECK(merge({running, stalled, lost}, 3).state == UploadState::lost);
}

TEST_CASE("different units are not added") {
  auto percent = of_part(attempt(2), "p2");
  percent.units = "percent";
  const auto view = merge({of_part(attempt(1), "p1"), percent}, 2);
  CHECK(view.progress.items_completed == 10);
  CHECK(view.progress.items_to_complete == 0);
}

TEST_CASE("how many parts are needed: added, else said, else one if none is named") {
  CHECK(parts_needed(3, 2, true) == 3);
  CHECK(parts_needed(0, 2, true) == 2);
  CHECK(parts_needed(0, 0, false) == 1);
  CHECK(parts_needed(0, 0, true) == 0);
}

TEST_CASE("the order in which attempts are given makes no difference") {
  rc::prop("for any attempts", [] {
    std::vector<AttemptView> attempts;
    const auto count = *rc::gen::inRange<std::uint64_t>(0, 6);
    for (std::uint64_t i = 0; i < count; ++i)
      attempts.push_back(any_attempt(i + 1));
    const auto parts = static_cast<std::uint32_t>(*rc::gen::inRange(0, 4));
    const auto one = merge(attempts, parts);
    std::reverse(attempts.begin(), attempts.end());
    const auto other = merge(attempts, parts);
    RC_ASSERT(one.state == other.state);
    RC_ASSERT(one.progress == other.progress);
    RC_ASSERT(one.sums == other.sums);
    RC_ASSERT(one.segment == other.segment);
    RC_ASSERT(one.reason == other.reason);
  });
}

TEST_CASE("only as many distinct durable parts as are needed make an upload durable") {
  rc::prop("for any attempts", [] {
    std::vector<AttemptView> attempts;
    std::set<std::string> durable;
    const auto count = *rc::gen::inRange<std::uint64_t>(0, 6);
    for (std::uint64_t i = 0; i < count; ++i) {
      attempts.push_back(any_attempt(i + 1));
      const auto& last = attempts.back();
      if (last.terminal && last.terminal->outcome == Outcome::durable) durable.insert(last.part);
    }
    const auto parts = static_cast<std::uint32_t>(*rc::gen::inRange(0, 4));
    const auto view = merge(attempts, parts);
    if (view.outcome == Outcome::durable) RC_ASSERT(parts > 0 && durable.size() >= parts);
    RC_ASSERT(view.progress.completed == is_over(view.state));
    RC_ASSERT(view.progress.err.empty() ==
              (!view.progress.completed || view.outcome == Outcome::durable));
  });
}

}  // namespace
}  // namespace plimsoll
