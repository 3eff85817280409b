// expire.cpp - see expire.hpp.
#include "controller/core/expire.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "controller/core/backups/deletion.hpp"
#include "controller/core/backups/expected_uploads.hpp"
#include "controller/core/backups/take_request.hpp"
#include "controller/core/uplink/attempts.hpp"
#include "schemas/time_text.hpp"

namespace plimsoll {
namespace {

UploadEnd failed_end(const Turn& turn, const UploadRecord& upload, std::string err) {
  const UploadView view = view_of(turn.rows(), upload);
  return {Outcome::failed, std::move(err), turn.state.wall, view.progress.items_completed,
          view.progress.items_to_complete};
}

std::string missing_part(const UploadView& view, const UploadRecord& upload, const Model& rows) {
  std::uint32_t said = 0;
  for (const auto& segment : rows.attempts_of(upload.id))
    said = std::max(said, rows.attempt(segment)->identity.parts_total);
  const auto needed = parts_needed(upload.parts, said, true);
  if (needed == 0) return "the number of parts was never said";
  return "part " + std::to_string(view.parts.size() + 1) + " of " + std::to_string(needed) +
         " was never reported";
}

void expire_attach(Turn& turn, UploadRecord& upload) {
  if (upload.end) return;
  const UploadView view = view_of(turn.rows(), upload);
  const std::string waited = duration_text(turn.state.settings.attach_timeout);
  const std::string err = view.attempts == 0 ? "NotFound: nobody reported it within " + waited
                                             : missing_part(view, upload, turn.rows());
  latch_upload(turn, upload, failed_end(turn, upload, err));
  refresh_upload(turn, std::string(upload.id));
}

// No progress for uploadTimeout: cancelled first, failed if that is not answered.
void expire_upload(Turn& turn, UploadRecord& upload) {
  if (upload.end) return;
  const std::string id = upload.id;
  upload.timed_out = true;
  touch_upload(turn, id, true);
  turn.state.timers.arm({TimerKind::upload_cancel, id},
                        turn.now + turn.state.settings.cancel_timeout);
  cancel_upload(
      turn, id,
      "no progress for " + duration_text(turn.state.settings.upload_timeout) + " (uploadTimeout)");
}

void expire_upload_cancel(Turn& turn, UploadRecord& upload) {
  if (upload.end) return;
  latch_upload(turn, upload, failed_end(turn, upload, upload.cancel->reason));
  refresh_upload(turn, std::string(upload.id));
}

void expire_of_backup(Turn& turn, const TimerKey& key) {
  auto* backup = turn.rows().edit_backup(key.id);
  if (backup == nullptr) return;
  if (key.kind == TimerKind::auto_seal) refresh_backup(turn, key.id);
  if (key.kind == TimerKind::seal_timeout) seal_forgotten_backup(turn, *backup);
  if (key.kind == TimerKind::cancel_timeout) finish_deletion(turn, key.id);
  if (key.kind == TimerKind::keep_backup) delete_backup(turn, key.id);
}

void expire_of_upload(Turn& turn, const TimerKey& key) {
  auto* upload = turn.rows().edit_upload(key.id);
  if (upload == nullptr) return;
  if (key.kind == TimerKind::attach) expire_attach(turn, *upload);
  if (key.kind == TimerKind::upload_timeout) expire_upload(turn, *upload);
  if (key.kind == TimerKind::upload_cancel) expire_upload_cancel(turn, *upload);
}

void expire_of_attempt(Turn& turn, const TimerKey& key) {
  const auto segment = id_from_hex<SegmentId>(key.id);
  auto* attempt = segment ? turn.rows().edit_attempt(*segment) : nullptr;
  if (attempt == nullptr) return;
  if (key.kind != TimerKind::keep_orphan) return give_up_attempt(turn, *attempt);
  if (!attempt->upload_id.empty()) return;
  turn.rows().erase_attempt(*segment);
  queue_delete(turn, DeleteAttempt{*segment});
}

void expire(Turn& turn, const TimerKey& key) {
  switch (key.kind) {
    case TimerKind::auto_seal:
    case TimerKind::seal_timeout:
    case TimerKind::cancel_timeout:
    case TimerKind::keep_backup:
      return expire_of_backup(turn, key);
    case TimerKind::attach:
    case TimerKind::upload_timeout:
    case TimerKind::upload_cancel:
      return expire_of_upload(turn, key);
    case TimerKind::retry:
    case TimerKind::lost:
    case TimerKind::keep_orphan:
      return expire_of_attempt(turn, key);
    case TimerKind::grace:
      return lose_node(turn, key.id);
    case TimerKind::keep_tombstone:
      turn.rows().erase_tombstone(key.id);
      return queue_delete(turn, DeleteTombstone{key.id});
  }
}

void touch_owner(Turn& turn, const TimerKey& key) {
  switch (key.kind) {
    case TimerKind::auto_seal:
    case TimerKind::seal_timeout:
    case TimerKind::cancel_timeout:
    case TimerKind::keep_backup:
      return touch_backup(turn, key.id, false);
    case TimerKind::attach:
    case TimerKind::upload_timeout:
    case TimerKind::upload_cancel:
      return touch_upload(turn, key.id, false);
    case TimerKind::retry:
    case TimerKind::lost:
    case TimerKind::keep_orphan:
      if (const auto segment = id_from_hex<SegmentId>(key.id)) touch_attempt(turn, *segment, false);
      return;
    case TimerKind::grace:
      return touch_node(turn, key.id, false);
    case TimerKind::keep_tombstone:
      return touch_tombstone(turn, key.id);
  }
}

}  // namespace

void expire_timers(Turn& turn) {
  for (const auto& key : turn.state.timers.take_due(turn.now))
    expire(turn, key);
}

void store_remaining_times(Turn& turn) {
  ControllerState& state = turn.state;
  const bool all_kinds = turn.now >= state.next_keep_timer_store;
  if (turn.now < state.next_timer_store && !all_kinds) return;
  state.next_timer_store = turn.now + kStoreTimersEvery;
  if (all_kinds) state.next_keep_timer_store = turn.now + kStoreKeepTimersEvery;
  for (const auto& [key, deadline] : state.timers.all())
    if (all_kinds || !is_keep_timer(key.kind)) touch_owner(turn, key);
}

}  // namespace plimsoll
