// deletion.cpp - see deletion.hpp.
#include "controller/core/backups/deletion.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "controller/core/backups/expected_uploads.hpp"
#include "schemas/text.hpp"
#include "schemas/text_bounds.hpp"

namespace plimsoll {
namespace {

void want_cancel(Turn& turn, UploadRecord& upload, const std::string& reason) {
  if (upload.cancel) return;
  upload.cancel = CancelRequest{turn.state.wall, clean_utf8(reason, kMaxReasonBytes)};
  touch_upload(turn, upload.id, true);
}

bool anything_live(const Model& rows, std::string_view backup_uid) {
  const auto& uploads = rows.uploads_of(backup_uid);
  return std::any_of(uploads.begin(), uploads.end(),
                     [&](const auto& entry) { return has_live_attempt(rows, entry.second); });
}

// Every segment of the backup: those that may still run first, so that the bound cuts the others.
std::vector<LeftBehind> segments_of(const Model& rows, std::string_view backup_uid) {
  std::vector<LeftBehind> segments;
  for (const auto& [item, id] : rows.uploads_of(backup_uid))
    for (const auto& segment : rows.attempts_of(id)) {
      const auto& attempt = *rows.attempt(segment);
      segments.push_back({segment, item, attempt.node, !is_live(attempt)});
    }
  std::stable_partition(segments.begin(), segments.end(),
                        [](const LeftBehind& one) { return !one.answered; });
  if (segments.size() > kMaxLeftBehind) segments.resize(kMaxLeftBehind);
  return segments;
}

void disarm_all(Turn& turn, std::string_view uid) {
  Timers& timers = turn.state.timers;
  const Model& rows = turn.rows();
  for (const auto kind : backup_timers())
    timers.disarm({kind, std::string(uid)});
  for (const auto& [item, id] : rows.uploads_of(uid)) {
    for (const auto kind : upload_timers())
      timers.disarm({kind, id});
    for (const auto& segment : rows.attempts_of(id))
      for (const auto kind : attempt_timers())
        timers.disarm({kind, to_hex(segment)});
  }
}

void begin_deletion(Turn& turn, const std::string& uid) {
  auto* backup = turn.rows().edit_backup(uid);
  change_phase(turn, *backup, PhaseEvent::delete_asked);
  turn.state.timers.arm({TimerKind::cancel_timeout, uid},
                        turn.now + turn.state.settings.cancel_timeout);
  const auto uploads = turn.rows().uploads_of(uid);
  for (const auto& [item, id] : uploads) {
    auto* upload = turn.rows().edit_upload(id);
    if (upload == nullptr) return;  // all had answered, and the backup is gone
    want_cancel(turn, *upload,
                "backup deleted");  // also where only movers of an old end may still run
    refresh_upload(turn, id);
  }
  refresh_deletion(turn, uid);
}

}  // namespace

void cancel_upload(Turn& turn, std::string_view upload_id, const std::string& reason) {
  auto* upload = turn.rows().edit_upload(upload_id);
  if (upload == nullptr || upload->end) return;
  want_cancel(turn, *upload, reason);
  refresh_upload(turn, std::string(upload_id));
}

void delete_backup(Turn& turn, std::string_view backup_uid) {
  const std::string uid(backup_uid);
  const auto* backup = turn.rows().backup(uid);
  if (backup == nullptr || backup->phase == BackupPhase::deleting) return;
  if (is_terminal(backup->phase))
    finish_deletion(turn, uid);
  else
    begin_deletion(turn, uid);
}

void refresh_deletion(Turn& turn, std::string_view uid) {
  const auto* backup = turn.rows().backup(uid);
  if (backup == nullptr || backup->phase != BackupPhase::deleting) return;
  if (!anything_live(turn.rows(), uid)) finish_deletion(turn, uid);
}

void finish_deletion(Turn& turn, std::string_view backup_uid) {
  const std::string uid(backup_uid);
  const auto* backup = turn.rows().backup(uid);
  if (backup == nullptr) return;
  TombstoneRecord grave;
  grave.uid = uid;
  grave.name = backup->name;
  grave.deleted_at = turn.state.wall;
  grave.born = turn.now;
  grave.left_behind = segments_of(turn.rows(), uid);
  const auto left = std::count_if(grave.left_behind.begin(), grave.left_behind.end(),
                                  [](const LeftBehind& one) { return !one.answered; });
  turn.note(left > 0 ? NoteLevel::warn : NoteLevel::info, "backup " + quoted(grave.name) +
                                                              ": deleted, " + std::to_string(left) +
                                                              " movers left behind");
  disarm_all(turn, uid);
  turn.rows().erase_backup(uid);
  turn.state.open_uploads.erase(uid);
  turn.rows().put(std::move(grave));
  turn.state.timers.arm({TimerKind::keep_tombstone, uid},
                        turn.now + turn.state.settings.keep_tombstones);
  queue_delete(turn, DeleteBackup{uid});
  touch_tombstone(turn, uid);
}

void answer_tombstone(Turn& turn, const SegmentId& segment) {
  const auto* known = turn.rows().tombstone_of(segment);
  if (known == nullptr) return;
  auto* grave = turn.rows().edit_tombstone(known->uid);
  for (auto& left : grave->left_behind) {
    if (left.segment != segment || left.answered) continue;
    left.answered = true;
    touch_tombstone(turn, grave->uid);
  }
}

}  // namespace plimsoll
