// commit_queue.cpp - see commit_queue.hpp.
#include "controller/core/commit_queue.hpp"

#include <algorithm>
#include <utility>

#include "controller/core/committed_view.hpp"
#include "controller/core/controller_state.hpp"
#include "controller/core/uplink/desired.hpp"
#include "controller/core/uplink/uplink_session.hpp"

namespace plimsoll {
namespace {

Gathered& changed(Turn& turn, bool urgent) {
  Gathered& next = turn.state.queue.next;
  if (!next.since) next.since = turn.now;
  next.urgent = next.urgent || urgent;
  return next;
}

// The commit that will hold everything known now; nullptr if the store already does.
Gathered* last_commit(CommitQueue& queue) {
  if (queue.next.since) return &queue.next;
  return queue.in_flight ? &queue.in_flight->what : nullptr;
}

void put_rows(const Turn& turn, const Gathered& what, std::vector<StoreWrite>& writes) {
  const Model& rows = turn.state.rows;
  for (const auto& name : what.nodes)
    if (const auto* row = rows.node(name)) writes.emplace_back(PutNode{*row});
  for (const auto& uid : what.backups)
    if (const auto* row = rows.backup(uid)) writes.emplace_back(PutBackup{*row});
  for (const auto& id : what.uploads)
    if (const auto* row = rows.upload(id)) writes.emplace_back(PutUpload{*row});
  for (const auto& segment : what.attempts)
    if (const auto* row = rows.attempt(segment)) writes.emplace_back(PutAttempt{*row});
  for (const auto& uid : what.tombstones)
    if (const auto* row = rows.tombstone(uid)) writes.emplace_back(PutTombstone{*row});
}

// What remains of each row's timers goes into the row just before it is written.
void store_timers(Turn& turn, const Gathered& what) {
  const Timers& timers = turn.state.timers;
  Model& rows = turn.rows();
  for (const auto& uid : what.backups)
    if (auto* row = rows.edit_backup(uid))
      row->timers = timers.remaining(uid, backup_timers(), turn.now);
  for (const auto& id : what.uploads)
    if (auto* row = rows.edit_upload(id))
      row->timers = timers.remaining(id, upload_timers(), turn.now);
  for (const auto& segment : what.attempts)
    if (auto* row = rows.edit_attempt(segment))
      row->timers = timers.remaining(to_hex(segment), attempt_timers(), turn.now);
  for (const auto& name : what.nodes)
    if (auto* row = rows.edit_node(name))
      row->timers = timers.remaining(name, node_timers(), turn.now);
  for (const auto& uid : what.tombstones)
    if (auto* row = rows.edit_tombstone(uid))
      row->timers = timers.remaining(uid, tombstone_timers(), turn.now);
}

// History of what was deleted meanwhile is dropped with it.
void put_history(const Turn& turn, Gathered& what, std::vector<StoreWrite>& writes) {
  std::erase_if(what.events, [&](const EventRecord& event) {
    return turn.state.rows.attempt(event.segment) == nullptr;
  });
  if (!what.events.empty()) writes.emplace_back(AddEvents{what.events});
  for (const auto& adopted : what.adopted)
    if (turn.state.rows.attempt(adopted.segment) != nullptr) writes.emplace_back(adopted);
}

// Puts what a failed commit held before what has gathered since.
void put_back(Gathered& failed, Gathered& next) {
  next.backups.merge(failed.backups);
  next.uploads.merge(failed.uploads);
  next.attempts.merge(failed.attempts);
  next.nodes.merge(failed.nodes);
  next.tombstones.merge(failed.tombstones);
  const auto prepend = [](auto& to, auto& from) {
    to.insert(to.begin(), std::make_move_iterator(from.begin()),
              std::make_move_iterator(from.end()));
  };
  prepend(next.deletes, failed.deletes);
  prepend(next.events, failed.events);
  prepend(next.adopted, failed.adopted);
  prepend(next.acks, failed.acks);
  prepend(next.welcomes, failed.welcomes);
  next.urgent = next.urgent || failed.urgent;
  next.since = failed.since;
}

void refuse_replies(Turn& turn, Gathered& what, const Error& cause) {
  for (const auto& reply : what.replies)
    turn.effects.push_back(
        Reply{reply.request, tl::unexpected(ApiError{store_unavailable(cause.message), {}})});
  what.replies.clear();
}

}  // namespace

void touch_backup(Turn& turn, const std::string& uid, bool urgent) {
  changed(turn, urgent).backups.insert(uid);
}
void touch_upload(Turn& turn, const std::string& id, bool urgent) {
  changed(turn, urgent).uploads.insert(id);
}
void touch_attempt(Turn& turn, const SegmentId& segment, bool urgent) {
  changed(turn, urgent).attempts.insert(segment);
}
void touch_node(Turn& turn, const std::string& name, bool urgent) {
  changed(turn, urgent).nodes.insert(name);
}
void touch_tombstone(Turn& turn, const std::string& uid) {
  changed(turn, true).tombstones.insert(uid);
}
void queue_delete(Turn& turn, StoreWrite write) {
  changed(turn, true).deletes.push_back(std::move(write));
}
void queue_event(Turn& turn, EventRecord event) {
  changed(turn, false).events.push_back(std::move(event));
}
void queue_adoption(Turn& turn, AdoptEvents adopted) {
  changed(turn, false).adopted.push_back(std::move(adopted));
}

void after_commit(Turn& turn, PendingAck ack) {
  if (auto* commit = last_commit(turn.state.queue))
    commit->acks.push_back(std::move(ack));
  else
    send_ack(turn, ack.connection, ack.ack);
}

void after_commit(Turn& turn, PendingReply reply) {
  if (auto* commit = last_commit(turn.state.queue))
    commit->replies.push_back(std::move(reply));
  else
    turn.effects.push_back(Reply{reply.request, answer_of(turn.state, reply, turn.now)});
}

void after_commit(Turn& turn, ConnectionId welcome_to) {
  if (auto* commit = last_commit(turn.state.queue))
    commit->welcomes.push_back(welcome_to);
  else
    welcome(turn, welcome_to);
}

std::optional<TimePoint> commit_due(const CommitQueue& queue) {
  if (queue.in_flight || !queue.next.since) return std::nullopt;
  if (queue.failing) return queue.retry_at;
  return queue.next.urgent ? *queue.next.since : *queue.next.since + kGroupCommit;
}

bool is_busy(const CommitQueue& queue, TimePoint now) {
  return queue.failing || (queue.in_flight && now - queue.in_flight->began >= kSlowCommit);
}

void begin_commit(Turn& turn) {
  CommitQueue& queue = turn.state.queue;
  const auto due = commit_due(queue);
  if (!due || *due > turn.now) return;
  CommitInFlight commit;
  commit.ticket = CommitTicket{++queue.last_ticket};
  commit.began = turn.now;
  commit.what = std::exchange(queue.next, {});
  store_timers(turn, commit.what);
  commit.writes = commit.what.deletes;
  put_rows(turn, commit.what, commit.writes);
  put_history(turn, commit.what, commit.writes);
  turn.effects.push_back(Commit{commit.ticket, commit.writes, commit.what.urgent});
  queue.in_flight = std::move(commit);
}

void on_committed(Turn& turn, const Committed& event) {
  CommitQueue& queue = turn.state.queue;
  if (!queue.in_flight || queue.in_flight->ticket != event.ticket) return;
  const CommitInFlight done = std::move(*queue.in_flight);
  queue.in_flight.reset();
  if (std::exchange(queue.failing, false)) turn.note(NoteLevel::info, "the store commits again");
  publish(turn, done.writes);
  for (const auto& connection : done.what.welcomes)
    welcome(turn, connection);
  for (const auto& ack : done.what.acks)
    send_ack(turn, ack.connection, ack.ack);
  send_desired_changes(turn, done.writes);
  for (const auto& reply : done.what.replies)
    turn.effects.push_back(Reply{reply.request, answer_of(turn.state, reply, turn.now)});
}

void on_commit_failed(Turn& turn, const CommitFailed& event) {
  CommitQueue& queue = turn.state.queue;
  if (!queue.in_flight || queue.in_flight->ticket != event.ticket) return;
  CommitInFlight failed = std::move(*queue.in_flight);
  queue.in_flight.reset();
  if (!std::exchange(queue.failing, true))
    turn.note(NoteLevel::error, "the store does not commit: " + event.error.message);
  queue.retry_at = turn.now + kRetryCommitAfter;
  refuse_replies(turn, failed.what, event.error);
  refuse_replies(turn, queue.next, event.error);
  put_back(failed.what, queue.next);
}

}  // namespace plimsoll
