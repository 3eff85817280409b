// report_plan.hpp - which attempt is reported when, and what an acknowledgement means. Pure.
// State transfer: a report is made from the newest state when it goes out, so an attempt has at
// most one pending, however long the controller is away.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "agent/core/attempt_table.hpp"
#include "agent/core/moment.hpp"
#include "agent/core/uplink_session.hpp"
#include "schemas/uplink_messages.hpp"

namespace plimsoll {
inline namespace agent {

struct ReportPlan {
  std::set<SegmentId> urgent;   // state changes and results: at once
  std::set<SegmentId> changed;  // numbers: at most every reportEvery
  TimePoint next_walk{};        // when `changed` is looked through again
  std::deque<SegmentId> full;   // what is still to be sent of the full state, by start
  bool full_running = false;
  bool full_begun = false;
};

enum class Urgency : std::uint8_t { numbers, state };

// Something of `attempt` changed that the controller should know.
void mark_changed(ReportPlan& plan, Attempt& attempt, Urgency urgency);

// A new session: everything live or unacknowledged again, in order of start.
void begin_full_state(ReportPlan& plan, AttemptTable& attempts);
// Another store: it has acknowledged nothing.
void forget_acks(AttemptTable& attempts);
// The link is gone; nothing is due until the next full state.
void end_session(ReportPlan& plan);

struct PlannedBatch {
  Batch batch;
  std::vector<SentReport> sent;
};

// What should go out now: nothing, or the next batch within kMaxReportsPerBatch and kMaxBatchBytes.
[[nodiscard]] std::optional<PlannedBatch> plan_batch(ReportPlan& plan, AttemptTable& attempts,
                                                     const UplinkSession& link,
                                                     const Moment& moment);

// The controller committed, or refused for good, what `sent` said. Returns how many were refused.
std::uint32_t take_acks(AttemptTable& attempts, std::span<const SentReport> sent, const Ack& ack);

[[nodiscard]] Report make_report(const Attempt& attempt, std::uint64_t session,
                                 const Moment& moment);

}  // namespace agent
}  // namespace plimsoll
