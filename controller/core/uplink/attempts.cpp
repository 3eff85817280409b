// attempts.cpp - see attempts.hpp.
#include "controller/core/uplink/attempts.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "controller/core/backups/expected_uploads.hpp"
#include "controller/core/uplink/bind_report.hpp"
#include "schemas/merge.hpp"
#include "schemas/text.hpp"
#include "schemas/text_bounds.hpp"
#include "schemas/time_text.hpp"

namespace plimsoll {
namespace {

constexpr milliseconds kLongestAge = std::chrono::hours(24 * 3650);  // what is older is this old

milliseconds age_of(std::uint64_t age_ms) {
  const auto longest = static_cast<std::uint64_t>(kLongestAge.count());
  return milliseconds(static_cast<std::int64_t>(std::min(age_ms, longest)));
}

std::optional<WallTime> wall_of(std::int64_t unix_ms) {
  if (unix_ms <= 0) return std::nullopt;
  return WallTime(milliseconds(unix_ms));
}

TimerKey timer_of(TimerKind kind, const AttemptRecord& attempt) {
  return {kind, to_hex(attempt.segment)};
}

Duration lost_after(const Turn& turn, const AttemptRecord& attempt) {
  const auto* node = turn.rows().node(attempt.node);
  return node != nullptr ? node->lost_after : NodeRecord{}.lost_after;
}

void begin_lost(Turn& turn, AttemptRecord& attempt, LostCause cause) {
  attempt.lost_cause = cause;
  attempt.rate = -1;
  const auto key = timer_of(TimerKind::lost, attempt);
  const bool runs = attempt.given_up || turn.state.timers.armed(key);
  if (!runs) turn.state.timers.arm(key, turn.now + lost_after(turn, attempt));
}

void end_lost(Turn& turn, AttemptRecord& attempt) {
  attempt.lost_cause = LostCause::none;
  attempt.given_up = false;
  turn.state.timers.disarm(timer_of(TimerKind::lost, attempt));
}

// Numbers count only if their sequence is newer than what is known.
bool take_numbers(Turn& turn, AttemptRecord& attempt, const Report& report) {
  if (!report.sample || report.seq <= attempt.seq) return false;
  const auto before = attempt.sample.completed;
  attempt.seq = report.seq;
  attempt.sample = merge_sample(attempt.sample, *report.sample);
  const auto* upload = turn.rows().upload(attempt.upload_id);
  if (upload != nullptr && attempt.sample.completed > before) begin_upload_timeout(turn, *upload);
  return true;
}

bool take_times(AttemptRecord& attempt, const Report& report) {
  const auto started = wall_of(report.started_unix_ms);
  const auto updated = wall_of(report.updated_unix_ms);
  const bool earlier = started && (!attempt.started || *started < *attempt.started);
  const bool later = updated && (!attempt.updated || *updated > *attempt.updated);
  if (earlier) attempt.started = started;
  if (later) attempt.updated = updated;
  return earlier || later;
}

bool take_rate(AttemptRecord& attempt, const Report& report) {
  const double rate = std::isfinite(report.rate) && report.rate >= 0 ? report.rate : -1;
  return std::exchange(attempt.rate, rate) != rate;
}

bool take_unreadable(const Turn& turn, AttemptRecord& attempt, const Report& report) {
  std::string text = report.reason.empty() ? "its segment cannot be read" : report.reason;
  if (attempt.retrieval_error && attempt.retrieval_error->text == text) return false;
  attempt.retrieval_error = RetrievalError{std::move(text), turn.state.wall};
  return true;
}

// The agent's newest word on the state. `unreadable` is trouble in finding out: the state stays.
bool take_state(Turn& turn, AttemptRecord& attempt, const Report& report) {
  if (report.state == AttemptState::unknown) return false;
  if (report.state == AttemptState::unreadable) return take_unreadable(turn, attempt, report);
  const bool cleared = std::exchange(attempt.retrieval_error, std::nullopt).has_value();
  const bool ended = report.state == AttemptState::ended;
  if (ended && !report.terminal) return cleared;
  if (attempt.state == report.state && attempt.reason == report.reason &&
      attempt.lost_cause != LostCause::no_word)
    return cleared;
  attempt.state = report.state;
  attempt.reason = clean_utf8(report.reason, kMaxReasonBytes);
  attempt.since = turn.state.wall - age_of(report.state_age_ms);
  if (report.state == AttemptState::lost)
    begin_lost(turn, attempt, LostCause::agent);
  else
    end_lost(turn, attempt);
  return true;
}

bool take_terminal(Turn& turn, AttemptRecord& attempt, const Report& report) {
  if (report.state != AttemptState::ended || !report.terminal) return false;
  attempt.terminal = report.terminal;
  attempt.rate = -1;
  attempt.retrieval_error.reset();
  if (report.terminal->outcome == Outcome::failed && report.terminal->will_retry)
    turn.state.timers.arm(timer_of(TimerKind::retry, attempt),
                          turn.now + turn.state.settings.retry_within);
  return true;
}

void take_events(Turn& turn, const AttemptRecord& attempt, const Report& report) {
  for (const auto& event : report.events)
    queue_event(turn, {attempt.segment, attempt.upload_id, event});
}

}  // namespace

AttemptRecord new_attempt(const Turn& turn, const NodeRecord& node, const Report& report) {
  AttemptRecord attempt;
  attempt.segment = report.segment;
  attempt.born_dead = report.born_dead;
  attempt.node = node.name;
  attempt.boot = node.boot;
  attempt.domain = report.domain;
  attempt.owner_uid = report.owner_uid;
  attempt.identity = *report.identity;
  attempt.born = turn.now - age_of(report.age_ms);
  attempt.began = turn.state.wall - age_of(report.age_ms);
  return attempt;
}

std::uint32_t ordinal_for(const Model& rows, std::string_view upload_id, const Identity& identity) {
  std::uint32_t highest = 0;
  bool taken = identity.attempt == 0;
  for (const auto& segment : rows.attempts_of(upload_id)) {
    const auto& other = *rows.attempt(segment);
    if (other.identity.part != identity.part) continue;
    highest = std::max(highest, other.ordinal);
    taken = taken || other.ordinal == identity.attempt;
  }
  if (!taken) return identity.attempt;
  constexpr auto kMax = std::numeric_limits<std::uint32_t>::max();
  return highest == kMax ? kMax : highest + 1;
}

void apply_report(Turn& turn, AttemptRecord& attempt, const Report& report) {
  if (attempt.terminal) return;
  const bool numbers = take_numbers(turn, attempt, report);
  const bool times = take_times(attempt, report);
  const bool rate = take_rate(attempt, report);
  const auto state_before = attempt.state;
  const bool state = take_state(turn, attempt, report);
  const bool ended = take_terminal(turn, attempt, report);
  take_events(turn, attempt, report);
  if (numbers || times || rate || state || ended)
    touch_attempt(turn, attempt.segment, ended || attempt.state != state_before);
}

void settle_attempt(Turn& turn, const AttemptRecord& attempt) {
  if (attempt.upload_id.empty())
    refresh_orphan(turn, attempt);
  else
    refresh_upload(turn, std::string(attempt.upload_id));  // a copy: the row may go with its backup
}

void lose_attempt(Turn& turn, AttemptRecord& attempt, LostCause cause, std::string reason) {
  const bool known_gone = attempt.state == AttemptState::lost && !is_live(attempt);
  if (attempt.terminal || known_gone) return;
  attempt.state = AttemptState::lost;
  attempt.reason = clean_utf8(reason, kMaxReasonBytes);
  attempt.since = turn.state.wall;
  begin_lost(turn, attempt, cause);
  touch_attempt(turn, attempt.segment, true);
  settle_attempt(turn, attempt);
}

void give_up_attempt(Turn& turn, AttemptRecord& attempt) {
  attempt.given_up = true;
  touch_attempt(turn, attempt.segment, true);
  settle_attempt(turn, attempt);
}

void lose_node(Turn& turn, const std::string& node) {
  const auto contact = turn.state.contacts.find(node);
  const bool heard = contact != turn.state.contacts.end() && contact->second.heard_wall;
  const std::string since = heard ? utc_text(*contact->second.heard_wall) : "its controller began";
  const auto segments = turn.rows().attempts_on(node);
  for (const auto& segment : segments) {
    auto* attempt = turn.rows().edit_attempt(segment);
    if (attempt != nullptr)
      lose_attempt(turn, *attempt, LostCause::no_word, "no word from " + node + " since " + since);
  }
}

}  // namespace plimsoll
