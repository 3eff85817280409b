// report_plan.cpp - choosing and making reports, and booking what was acknowledged.
#include "agent/core/report_plan.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "schemas/text_bounds.hpp"
#include "schemas/uplink_codec.hpp"

namespace plimsoll {
inline namespace agent {
namespace {

constexpr Duration kWalkEvery = milliseconds(100);  // `changed` may hold every attempt of the node
constexpr std::size_t kBatchOverheadBytes = 1024;   // the frame around the reports

std::uint64_t milliseconds_of(Duration span) {
  return static_cast<std::uint64_t>(
      std::max<std::int64_t>(0, std::chrono::duration_cast<milliseconds>(span).count()));
}

bool is_settled(const Attempt& attempt) {  // over, and the controller knows
  const auto& delivery = attempt.delivery;
  return delivery.forgotten || (delivery.end_acked && delivery.acked >= delivery.version);
}

bool starts_before(const Attempt& a, const Attempt& b) {
  if (a.origin.start_boottime_ns != b.origin.start_boottime_ns)
    return a.origin.start_boottime_ns < b.origin.start_boottime_ns;
  return a.origin.segment < b.origin.segment;
}

// A batch in the making.
struct Filling {
  PlannedBatch planned;
  std::size_t bytes = kBatchOverheadBytes;
};

// False: no room left, nothing was changed.
bool add_report(Filling& filling, Attempt& attempt, const UplinkSession& link,
                const Moment& moment) {
  auto& reports = filling.planned.batch.reports;
  if (reports.size() >= kMaxReportsPerBatch) return false;
  auto report = make_report(attempt, link.session, moment);
  const auto bytes = encoded_size_bound(report);
  if (!reports.empty() && filling.bytes + bytes > kMaxBatchBytes) return false;
  filling.bytes += bytes;
  reports.push_back(std::move(report));
  auto& delivery = attempt.delivery;
  delivery.identity_session = link.session;
  delivery.sent = delivery.version;
  delivery.events_sent = delivery.events_begin + delivery.events.size();
  delivery.reported_at = moment.now;
  filling.planned.sent.push_back(
      {attempt.origin.segment, delivery.version, attempt.judgement.state, delivery.events_sent});
  return true;
}

PlannedBatch fill_from_full(ReportPlan& plan, AttemptTable& attempts, const UplinkSession& link,
                            const Moment& moment) {
  Filling filling;
  filling.planned.batch.first_full = !std::exchange(plan.full_begun, true);
  while (!plan.full.empty()) {
    auto* attempt = attempts.find(plan.full.front());
    if (attempt && !add_report(filling, *attempt, link, moment)) break;
    plan.urgent.erase(plan.full.front());
    plan.changed.erase(plan.full.front());
    plan.full.pop_front();
  }
  filling.planned.batch.last_full = plan.full.empty();
  plan.full_running = !plan.full.empty();
  return std::move(filling.planned);
}

// Everything urgent, and what changed longer than report_every after its last report; oldest start
// first.
std::vector<Attempt*> due_attempts(ReportPlan& plan, AttemptTable& attempts,
                                   const UplinkSession& link, TimePoint now) {
  std::vector<Attempt*> due;
  for (const auto& segment : plan.urgent)
    if (auto* attempt = attempts.find(segment)) due.push_back(attempt);
  plan.urgent.clear();
  if (now >= plan.next_walk) {
    plan.next_walk = now + kWalkEvery;
    for (auto at = plan.changed.begin(); at != plan.changed.end();) {
      auto* attempt = attempts.find(*at);
      const bool waits = attempt && attempt->delivery.reported_at &&
                         now - *attempt->delivery.reported_at < link.report_every;
      if (attempt && !waits) due.push_back(attempt);
      at = waits ? std::next(at) : plan.changed.erase(at);
    }
  }
  std::sort(due.begin(), due.end(),
            [](const Attempt* a, const Attempt* b) { return starts_before(*a, *b); });
  due.erase(std::unique(due.begin(), due.end()), due.end());
  return due;
}

std::optional<PlannedBatch> fill_from_changes(ReportPlan& plan, AttemptTable& attempts,
                                              const UplinkSession& link, const Moment& moment) {
  Filling filling;
  for (auto* attempt : due_attempts(plan, attempts, link, moment.now)) {
    if (attempt->delivery.forgotten || attempt->delivery.sent >= attempt->delivery.version)
      continue;
    if (!add_report(filling, *attempt, link, moment))
      plan.urgent.insert(attempt->origin.segment);  // the next batch takes it
    else
      plan.changed.erase(attempt->origin.segment);
  }
  if (filling.planned.sent.empty()) return std::nullopt;
  return std::move(filling.planned);
}

void book_ack(Attempt& attempt, const SentReport& sent, ReportCode code) {
  auto& delivery = attempt.delivery;
  delivery.acked = std::max(delivery.acked, sent.version);
  while (delivery.events_begin < sent.events_end && !delivery.events.empty()) {
    delivery.events.pop_front();
    ++delivery.events_begin;
  }
  // An orphan that found no room is not in the store: its segment stays, and it is offered again.
  if (code == ReportCode::orphan) return;
  if (sent.state == AttemptState::ended) delivery.end_acked = true;
  if (sent.state == AttemptState::lost) delivery.lost_acked = true;
}

}  // namespace

void mark_changed(ReportPlan& plan, Attempt& attempt, Urgency urgency) {
  ++attempt.delivery.version;
  if (urgency == Urgency::state)
    plan.urgent.insert(attempt.origin.segment);
  else
    plan.changed.insert(attempt.origin.segment);
}

void begin_full_state(ReportPlan& plan, AttemptTable& attempts) {
  plan = ReportPlan{};
  std::vector<Attempt*> unsettled;
  for (auto& [segment, attempt] : attempts.all()) {
    attempt.delivery.events_sent = attempt.delivery.events_begin;
    attempt.delivery.identity_session =
        0;  // another store may count its sessions as the last one did
    if (!is_settled(attempt)) unsettled.push_back(&attempt);
  }
  std::sort(unsettled.begin(), unsettled.end(),
            [](const Attempt* a, const Attempt* b) { return starts_before(*a, *b); });
  for (const auto* attempt : unsettled)
    plan.full.push_back(attempt->origin.segment);
  plan.full_running = true;  // also with nothing to say: the controller is to know that this is all
}

void forget_acks(AttemptTable& attempts) {
  for (auto& [segment, attempt] : attempts.all()) {
    attempt.delivery.acked = 0;
    attempt.delivery.end_acked = false;
    attempt.delivery.lost_acked = false;
    attempt.delivery.forgotten = false;
  }
}

void end_session(ReportPlan& plan) {
  plan = ReportPlan{};
}

std::optional<PlannedBatch> plan_batch(ReportPlan& plan, AttemptTable& attempts,
                                       const UplinkSession& link, const Moment& moment) {
  if (!may_send_batch(link)) return std::nullopt;
  if (plan.full_running) return fill_from_full(plan, attempts, link, moment);
  return fill_from_changes(plan, attempts, link, moment);
}

std::uint32_t take_acks(AttemptTable& attempts, std::span<const SentReport> sent, const Ack& ack) {
  std::map<SegmentId, ReportCode> refused;
  for (const auto& one : ack.refused)
    refused.emplace(one.segment, one.code);
  for (const auto& one : sent) {
    auto* attempt = attempts.find(one.segment);
    if (!attempt) continue;
    const auto found = refused.find(one.segment);
    book_ack(*attempt, one, found == refused.end() ? ReportCode::taken : found->second);
  }
  return static_cast<std::uint32_t>(refused.size());
}

Report make_report(const Attempt& attempt, std::uint64_t session, const Moment& moment) {
  const auto& delivery = attempt.delivery;
  const auto& progress = attempt.progress;
  Report report;
  report.segment = attempt.origin.segment;
  if (delivery.identity_session != session) report.identity = attempt.identity;
  report.domain = attempt.origin.domain;
  report.owner_uid = attempt.origin.owner_uid;
  report.start_boottime_ns = attempt.origin.start_boottime_ns;
  report.seq = progress.seq;
  if (progress.seq > 0) report.sample = progress.sample;
  report.state = attempt.judgement.state;
  report.reason = attempt.judgement.reason;
  report.state_age_ms = milliseconds_of(moment.now - attempt.judgement.since);
  report.silent_ms = milliseconds_of(moment.now - progress.heartbeat_at);
  report.started_unix_ms = progress.started.time_since_epoch().count();
  report.updated_unix_ms = progress.updated.time_since_epoch().count();
  report.rate = progress.rate.value(moment.now);
  if (attempt.ended()) report.terminal = progress.terminal;
  const auto already_sent = delivery.events_sent - delivery.events_begin;
  for (auto at = already_sent; at < delivery.events.size(); ++at)
    report.events.push_back(delivery.events[at]);
  report.events_lost = delivery.events_lost;
  const auto start = attempt.origin.start_boottime_ns;
  report.age_ms = moment.boottime_ns > start ? (moment.boottime_ns - start) / 1'000'000 : 0;
  report.born_dead = attempt.born_dead;
  return report;
}

}  // namespace agent
}  // namespace plimsoll
