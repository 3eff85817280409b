// restore.cpp - a start: rows back into memory, timers on, and what a restart itself decides.
#include <algorithm>
#include <utility>

#include "controller/core/backups/expected_uploads.hpp"
#include "controller/core/committed_view.hpp"
#include "controller/core/controller_step.hpp"

namespace plimsoll {
namespace {

TimePoint on_core_time(const RestoreTime& time, const std::optional<WallTime>& wall) {
  if (!wall) return time.now;
  return time.now - std::max(milliseconds(0), time.wall - *wall);
}

void load_rows(Model& rows, LoadedStore& loaded, const RestoreTime& time) {
  for (auto& backup : loaded.backups) {
    backup.born = on_core_time(time, backup.created);
    rows.put(std::move(backup));
  }
  for (auto& upload : loaded.uploads) {
    upload.born = on_core_time(time, upload.created);
    rows.put(std::move(upload));
  }
  for (auto& attempt : loaded.attempts) {
    attempt.born = on_core_time(time, attempt.began);
    rows.put(std::move(attempt));
  }
  for (auto& node : loaded.nodes)
    rows.put(std::move(node));
  for (auto& grave : loaded.tombstones) {
    grave.born = on_core_time(time, grave.deleted_at);
    rows.put(std::move(grave));
  }
}

// How long a timer is when it begins; for one that belongs to a row.
struct Lengths {
  const ControllerState& state;

  [[nodiscard]] Duration of_backup(TimerKind kind, const BackupRecord& backup) const {
    switch (kind) {
      case TimerKind::auto_seal:
        return auto_seal_length(state.settings, backup.source);
      case TimerKind::seal_timeout:
        return seal_timeout_length(state.settings, backup.seal);
      case TimerKind::cancel_timeout:
        return state.settings.cancel_timeout;
      default:
        return state.settings.keep_backups;
    }
  }
  [[nodiscard]] Duration of_upload(TimerKind kind) const {
    switch (kind) {
      case TimerKind::attach:
        return state.settings.attach_timeout;
      case TimerKind::upload_timeout:
        return state.settings.upload_timeout;
      default:
        return state.settings.cancel_timeout;
    }
  }
  [[nodiscard]] Duration of_attempt(TimerKind kind, const AttemptRecord& attempt) const {
    if (kind == TimerKind::retry) return state.settings.retry_within;
    if (kind == TimerKind::keep_orphan) return state.settings.keep_orphans;
    const auto* node = state.rows.node(attempt.node);
    return node != nullptr ? node->lost_after : NodeRecord{}.lost_after;
  }
};

template <typename WholeLength>
void arm_stored(Turn& turn, const std::vector<StoredTimer>& stored, const std::string& id,
                WholeLength whole) {
  for (const auto& timer : stored)
    turn.state.timers.arm({timer.kind, id},
                          turn.now + remaining_after_restart(timer.remaining, whole(timer.kind)));
}

// What must end by itself does, even if its row was written before its timer began.
void arm_missing(Turn& turn, const TimerKey& key, Duration whole) {
  if (!turn.state.timers.armed(key)) turn.state.timers.arm(key, turn.now + whole);
}

void arm_attempt(Turn& turn, const Lengths& lengths, const AttemptRecord& attempt) {
  const std::string id = to_hex(attempt.segment);
  arm_stored(turn, attempt.timers, id,
             [&](TimerKind kind) { return lengths.of_attempt(kind, attempt); });
  if (attempt.given_up) return;
  const bool retries = attempt.terminal && attempt.terminal->outcome == Outcome::failed &&
                       attempt.terminal->will_retry;
  if (retries)
    arm_missing(turn, {TimerKind::retry, id}, lengths.of_attempt(TimerKind::retry, attempt));
  if (!attempt.terminal && attempt.state == AttemptState::lost)
    arm_missing(turn, {TimerKind::lost, id}, lengths.of_attempt(TimerKind::lost, attempt));
}

void arm_timers(Turn& turn) {
  const Lengths lengths{turn.state};
  const Model& rows = turn.state.rows;
  for (const auto& [uid, backup] : rows.backups())
    arm_stored(turn, backup.timers, uid,
               [&](TimerKind kind) { return lengths.of_backup(kind, backup); });
  for (const auto& [id, upload] : rows.uploads())
    if (!upload.end)
      arm_stored(turn, upload.timers, id, [&](TimerKind kind) { return lengths.of_upload(kind); });
  for (const auto& [segment, attempt] : rows.attempts())
    arm_attempt(turn, lengths, attempt);
  for (const auto& [uid, grave] : rows.tombstones())
    arm_stored(turn, grave.timers, uid,
               [&](TimerKind) { return turn.state.settings.keep_tombstones; });
  const auto grace = turn.state.settings.retrieval_grace;
  for (const auto& [name, node] : rows.nodes()) {
    if (grace <= Duration(0)) break;
    arm_stored(turn, node.timers, name, [&](TimerKind) { return grace; });
    arm_missing(turn, {TimerKind::grace, name}, grace);
  }
}

void make_contacts(ControllerState& state, const RestoreTime& time) {
  for (const auto& [name, node] : state.rows.nodes()) {
    Contact contact;
    contact.heard = on_core_time(time, node.last_heard);
    contact.heard_wall = node.last_heard;
    contact.shown = freshness_of(time.now - contact.heard);
    state.contacts.emplace(name, std::move(contact));
  }
}

// A snapshot run of the controller itself cannot go on after a restart; uploads can.
void cut_off(Turn& turn) {
  std::vector<std::string> uids;
  for (const auto& [uid, backup] : turn.rows().backups())
    if (backup.run_by_controller && backup.phase == BackupPhase::in_progress) uids.push_back(uid);
  for (const auto& uid : uids) {
    auto* backup = turn.rows().edit_backup(uid);
    backup->items_fixed = true;
    add_message(backup->errors,
                {turn.state.wall, "controller", "its snapshot run was cut off by a restart"});
    change_phase(turn, *backup, PhaseEvent::cut_off);
  }
}

}  // namespace

ControllerState restore(LoadedStore loaded, const ControllerSettings& settings, RestoreTime time,
                        std::uint64_t seed) {
  ControllerState state;
  state.settings = settings;
  state.store = loaded.id;
  state.random.seed(seed);
  state.wall = time.wall;
  state.own_node = settings.own_node;
  state.next_timer_store = time.now + kStoreTimersEvery;
  state.next_keep_timer_store = time.now + kStoreKeepTimersEvery;
  load_rows(state.rows, loaded, time);
  for (const auto& [id, upload] : state.rows.uploads())
    if (!upload.end) ++state.open_uploads[upload.backup_uid];
  publish_loaded(state.committed, state.rows);
  make_contacts(state, time);
  Turn turn{state, time.now, {}};
  arm_timers(turn);
  cut_off(turn);
  return state;
}

}  // namespace plimsoll
