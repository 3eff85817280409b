// observe.cpp - what a look at a segment changes.
#include "agent/core/observe.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "agent/core/judge.hpp"
#include "schemas/merge.hpp"
#include "schemas/text_bounds.hpp"

namespace plimsoll {
inline namespace agent {
namespace {

Evidence evidence_of(const Attempt& attempt, TimePoint now) {
  const auto& progress = attempt.progress;
  Evidence evidence;
  evidence.lock_held = attempt.lock_held;
  evidence.cancel_asked = attempt.cancel_asked;
  evidence.readable = attempt.faulty_reads < kUnreadableAfter;
  evidence.file_gone = attempt.file_gone;
  evidence.has_sample = progress.seq > 0;
  evidence.activity = progress.sample.activity;
  evidence.count_age = now - progress.count_at;
  evidence.silence = now - progress.heartbeat_at;
  evidence.terminal = progress.terminal ? &*progress.terminal : nullptr;
  return evidence;
}

void take_sample(AgentState& state, Attempt& attempt, const Reading& reading,
                 const Moment& moment) {
  auto& progress = attempt.progress;
  if (!reading.sample || reading.seq <= progress.seq) return;
  if (is_absurd(*reading.sample)) ++state.counters.producer_errors;
  const bool first = progress.seq == 0;
  const auto before = progress.sample.completed;
  progress.sample = merge_sample(progress.sample, *reading.sample);
  progress.seq = reading.seq;
  progress.updated = moment.wall;
  if (first || progress.sample.completed != before) progress.count_at = moment.now;
  progress.rate.observe(progress.sample.completed, moment.now);
  mark_changed(state.plan, attempt, Urgency::numbers);
}

void take_events(AgentState& state, Attempt& attempt, const Reading& reading) {
  if (reading.events.empty() && reading.events_lost == 0) return;
  auto& delivery = attempt.delivery;
  for (const auto& event : reading.events)
    delivery.events.push_back(event);
  std::uint64_t lost = reading.events_lost;
  while (delivery.events.size() > kMaxEventsPerReport) {  // the newest stay
    if (delivery.events_begin >= delivery.events_sent)
      ++lost;  // else it was sent, if not yet acknowledged
    delivery.events.pop_front();
    ++delivery.events_begin;
  }
  delivery.events_sent = std::max(delivery.events_sent, delivery.events_begin);
  const auto room = std::numeric_limits<std::uint32_t>::max() - delivery.events_lost;
  delivery.events_lost += static_cast<std::uint32_t>(std::min<std::uint64_t>(lost, room));
  state.counters.events_lost += lost;
  mark_changed(state.plan, attempt, Urgency::numbers);
}

void take_terminal(Attempt& attempt, const Terminal& terminal, const Moment& moment) {
  auto& progress = attempt.progress;
  if (progress.terminal || terminal.outcome == Outcome::none) return;  // the first one stands
  progress.terminal = terminal;
  progress.updated = moment.wall;
  Sample last = progress.sample;  // the numbers that came with the result are the last ones
  last.completed = terminal.completed;
  last.total = terminal.total;
  last.errors = std::max(last.errors, terminal.errors);
  last.warnings = std::max(last.warnings, terminal.warnings);
  progress.sample = merge_sample(progress.sample, last);
}

// Alone, the agent runs the controller's timers itself; otherwise it gives up only what has no
// second try.
bool is_given_up(const Attempt& attempt, const AgentSettings& settings, TimePoint now) {
  const auto age = now - attempt.judgement.since;
  if (attempt.lost()) return !settings.has_controller && age >= settings.lost_after;
  const auto& terminal = attempt.progress.terminal;
  if (!terminal || terminal->outcome == Outcome::durable) return false;
  return !terminal->will_retry || (!settings.has_controller && age >= kRetryWithin);
}

}  // namespace

Attempt first_look(const SegmentOrigin& origin, const Identity& identity, const Moment& moment) {
  Attempt attempt;
  attempt.origin = origin;
  attempt.identity = identity;
  const auto start = origin.start_boottime_ns;
  const auto age_ns = moment.boottime_ns > start ? moment.boottime_ns - start : 0;
  const auto age = milliseconds(static_cast<std::int64_t>(age_ns / 1'000'000));
  auto& progress = attempt.progress;
  progress.started = moment.wall - age;
  progress.updated = moment.wall;
  progress.heartbeat_at = progress.count_at = moment.now;
  attempt.judgement.since = moment.now;
  attempt.judgement.since_wall = moment.wall;
  return attempt;
}

void observe(AgentState& state, Attempt& attempt, const Reading& reading, const Moment& moment) {
  attempt.lock_held = reading.lock_held;
  attempt.cancel_asked = attempt.cancel_asked || reading.cancel_asked;
  attempt.faulty_reads = 0;
  if (reading.payload_fault) ++state.counters.producer_errors;
  auto& progress = attempt.progress;
  if (reading.heartbeat != progress.heartbeat) {
    progress.heartbeat = reading.heartbeat;
    progress.heartbeat_at = moment.now;
  }
  if (!progress.terminal) take_sample(state, attempt, reading, moment);
  take_events(state, attempt, reading);
  if (reading.terminal) take_terminal(attempt, *reading.terminal, moment);
  judge_again(state, attempt, moment);
}

void judge_again(AgentState& state, Attempt& attempt, const Moment& moment) {
  const auto evidence = evidence_of(attempt, moment.now);
  if (const auto made = terminal_after_cancel(evidence, attempt.progress.sample))
    take_terminal(attempt, *made, moment);
  auto verdict = judge(evidence_of(attempt, moment.now), state.settings.stall_after);
  auto& judgement = attempt.judgement;
  const bool new_state = verdict.state != judgement.state;
  const bool new_reason = verdict.reason != judgement.reason;
  if (new_state) {
    judgement.since = moment.now;
    judgement.since_wall = moment.wall;
  }
  judgement.state = verdict.state;
  judgement.reason = std::move(verdict.reason);
  if (!attempt.over())
    judgement.over_at.reset();
  else if (!judgement.over_at)
    judgement.over_at = moment.now;
  attempt.given_up = is_given_up(attempt, state.settings, moment.now);
  if (new_state || new_reason)
    mark_changed(state.plan, attempt, new_state ? Urgency::state : Urgency::numbers);
}

}  // namespace agent
}  // namespace plimsoll
