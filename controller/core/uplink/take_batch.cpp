// take_batch.cpp - see take_batch.hpp.
#include "controller/core/uplink/take_batch.hpp"

#include <utility>

#include "controller/core/backups/deletion.hpp"
#include "controller/core/uplink/attempts.hpp"
#include "controller/core/uplink/bind_report.hpp"
#include "controller/core/uplink/desired.hpp"
#include "schemas/names.hpp"

namespace plimsoll {
namespace {

void update(Turn& turn, const SegmentId& segment, const Report& report) {
  auto* attempt = turn.rows().edit_attempt(segment);
  if (attempt == nullptr) return;
  apply_report(turn, *attempt, report);
  settle_attempt(turn, *attempt);
}

bool is_over(const Report& report) {
  return report.state == AttemptState::ended || report.state == AttemptState::lost;
}

// Its backup was deleted: it is told to stop while it runs. `forget` waits until the deletion is
// committed.
ReportCode refuse_of_tombstone(Turn& turn, ConnectionId connection, const Report& report,
                               const std::string& uid) {
  const bool over = is_over(report);
  if (over) answer_tombstone(turn, report.segment);
  const bool committed = turn.state.committed.rows.tombstone(uid) != nullptr;
  if (!over || committed)
    send_tombstone_action(turn, connection,
                          {report.segment, over ? DesiredAction::forget : DesiredAction::cancel});
  return ReportCode::tombstone;
}

ReportCode take_new(Turn& turn, ConnectionId connection, const Report& report) {
  if (!report.identity || report.segment.is_zero() || !check_identity(*report.identity)) {
    // The segments of a deleted backup are known without an identity.
    const auto* grave = turn.rows().tombstone_of(report.segment);
    return grave != nullptr ? refuse_of_tombstone(turn, connection, report, grave->uid)
                            : ReportCode::malformed;
  }
  const auto& link = turn.state.links.at(connection);
  AttemptRecord attempt = new_attempt(turn, *turn.rows().node(link.node), report);
  const Binding binding = bind_attempt(turn, attempt);
  if (const auto* grave = std::get_if<OfTombstone>(&binding))
    return refuse_of_tombstone(turn, connection, report, std::string(grave->uid));
  if (const auto* to = std::get_if<BoundTo>(&binding))
    join_upload(turn, std::move(attempt), to->upload_id);
  else if (!keep_orphan(turn, std::move(attempt), std::get<Orphaned>(binding).reason))
    return ReportCode::orphan;
  update(turn, report.segment, report);
  return ReportCode::taken;
}

ReportCode take_report(Turn& turn, ConnectionId connection, const Report& report) {
  const auto* known = turn.rows().attempt(report.segment);
  if (known == nullptr) return take_new(turn, connection, report);
  if (known->node != turn.state.links.at(connection).node) return ReportCode::malformed;
  update(turn, report.segment, report);
  return ReportCode::taken;
}

// What an agent's full state does not name is not there any more.
void lose_unnamed(Turn& turn, ConnectionId connection) {
  Link& link = turn.state.links.at(connection);
  const auto named = std::exchange(link.in_full_state, {});
  const auto segments = turn.rows().attempts_on(link.node);
  for (const auto& segment : segments) {
    if (named.count(segment) != 0) continue;
    auto* attempt = turn.rows().edit_attempt(segment);
    if (attempt != nullptr) lose_attempt(turn, *attempt, LostCause::gone, "its segment is gone");
  }
}

}  // namespace

void take_batch(Turn& turn, ConnectionId connection, const Batch& batch) {
  if (batch.first_full) {
    Link& link = turn.state.links.at(connection);
    link.in_full = true;
    link.in_full_state.clear();
  }
  Ack ack{batch.session, batch.seq, {}};
  for (const auto& report : batch.reports) {
    Link& link = turn.state.links.at(connection);
    if (link.in_full) link.in_full_state.insert(report.segment);
    const auto code = take_report(turn, connection, report);
    if (code != ReportCode::taken) ack.refused.push_back({report.segment, code});
  }
  if (batch.last_full && std::exchange(turn.state.links.at(connection).in_full, false))
    lose_unnamed(turn, connection);
  after_commit(turn, PendingAck{connection, std::move(ack)});
}

}  // namespace plimsoll
