// judge.cpp - the rules, in the order in which they win.
#include "agent/core/judge.hpp"

#include <chrono>

#include "schemas/text.hpp"
#include "schemas/text_bounds.hpp"

namespace plimsoll {
inline namespace agent {
namespace {

std::string span_text(Duration span) {
  const auto whole = std::chrono::duration_cast<seconds>(span).count();
  if (whole < 60) return std::to_string(whole) + "s";
  const auto minutes = std::to_string(whole / 60) + "m";
  return whole % 60 == 0 ? minutes : minutes + std::to_string(whole % 60) + "s";
}

std::string reason_of(const Terminal& terminal) {
  if (terminal.outcome == Outcome::durable) return "the mover confirmed that all of it is durable";
  if (!terminal.err.empty()) return clean_utf8(terminal.err, kMaxReasonBytes);
  return std::string(word(terminal.outcome));
}

Verdict judge_free(const Evidence& evidence) {
  if (evidence.file_gone)
    return {AttemptState::lost, "the segment was removed before the mover left a result"};
  if (!evidence.readable)
    return {AttemptState::lost, "mover left without a result; its segment no longer verifies"};
  return {AttemptState::lost, "mover left without a result"};
}

std::string running_reason(Activity activity) {
  switch (activity) {
    case Activity::scanning:
      return "the mover looks for what to send";
    case Activity::finishing:
      return "all sent, the mover waits for the storage to confirm";
    case Activity::waiting:
      return "the mover waits";
    default:
      return "samples come";
  }
}

Verdict judge_live(const Evidence& evidence, Duration stall_after) {
  if (!evidence.has_sample) return {AttemptState::waiting, "opened, no sample yet"};
  const auto limit = stall_limit(evidence.activity, stall_after);
  if (evidence.count_age < limit) return {AttemptState::running, running_reason(evidence.activity)};
  const auto voice =
      evidence.silence < kSilentAfter ? "; the mover still calls" : "; the mover is silent";
  return {AttemptState::stalled, "no progress for " + span_text(limit) + voice};
}

}  // namespace

Duration stall_limit(Activity activity, Duration stall_after) {
  const bool patient = activity == Activity::finishing || activity == Activity::waiting;
  return patient ? kPatientStallFactor * stall_after : stall_after;
}

Verdict judge(const Evidence& evidence, Duration stall_after) {
  if (evidence.terminal) return {AttemptState::ended, reason_of(*evidence.terminal)};
  if (!evidence.lock_held) return judge_free(evidence);
  if (!evidence.readable)
    return {AttemptState::unreadable, "the segment no longer verifies; numbers are the last known"};
  if (evidence.cancel_asked)
    return {AttemptState::cancelling, "cancel asked, the mover has not answered"};
  return judge_live(evidence, stall_after);
}

std::optional<Terminal> terminal_after_cancel(const Evidence& evidence, const Sample& last) {
  if (evidence.lock_held || evidence.terminal || !evidence.cancel_asked) return std::nullopt;
  Terminal terminal;
  terminal.outcome = Outcome::canceled;
  terminal.err = "gone after a cancel";
  terminal.completed = last.completed;
  terminal.total = last.total;
  terminal.errors = last.errors;
  terminal.warnings = last.warnings;
  return terminal;
}

}  // namespace agent
}  // namespace plimsoll
