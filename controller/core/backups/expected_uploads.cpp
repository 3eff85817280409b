// expected_uploads.cpp - see expected_uploads.hpp.
#include "controller/core/backups/expected_uploads.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "controller/core/backups/deletion.hpp"
#include "schemas/text.hpp"
#include "schemas/text_bounds.hpp"

namespace plimsoll {
namespace {

std::string random_hex(Turn& turn) {
  std::array<char, 17> text{};
  const auto bits = static_cast<unsigned long long>(turn.state.random());
  (void)std::snprintf(text.data(), text.size(), "%016llx", bits);  // always 16 digits
  return text.data();
}

std::string new_upload_id(Turn& turn) {
  std::string id = random_hex(turn);
  while (turn.rows().upload(id) != nullptr)
    id = random_hex(turn);
  return id;
}

// A random UUID, version 4.
std::string random_uid(Turn& turn) {
  std::string hex = random_hex(turn) + random_hex(turn);
  hex[12] = '4';
  hex[16] = "89ab"[turn.state.random() % 4];
  for (const std::size_t at : {std::size_t{20}, std::size_t{16}, std::size_t{12}, std::size_t{8}})
    hex.insert(at, "-");
  return hex;
}

std::string new_uid(Turn& turn) {
  const Model& rows = turn.rows();
  std::string uid = random_uid(turn);
  while (rows.backup(uid) != nullptr || rows.tombstone(uid) != nullptr)
    uid = random_uid(turn);
  return uid;
}

std::size_t open_uploads(const ControllerState& state, std::string_view uid) {
  const auto found = state.open_uploads.find(uid);
  return found == state.open_uploads.end() ? 0 : found->second;
}

// Parts nobody reported: nothing waits for them while a known part is on its way, else
// attachTimeout does.
void rearm_attach(Turn& turn, const UploadRecord& upload, const UploadView& merged) {
  const TimerKey key{TimerKind::attach, upload.id};
  const bool on_its_way = std::any_of(merged.parts.begin(), merged.parts.end(),
                                      [](const PartView& part) { return !part.over; });
  const auto* backup = turn.rows().backup(upload.backup_uid);
  const bool due = is_live(*backup) && (backup->items_fixed || backup->seal == SealMode::auto_);
  if (on_its_way || !due) {
    turn.state.timers.disarm(key);
  } else if (!turn.state.timers.armed(key)) {
    turn.state.timers.arm(key, turn.now + turn.state.settings.attach_timeout);
    touch_upload(turn, upload.id, false);
  }
}

UploadEnd end_of(const Turn& turn, const UploadRecord& upload, const UploadView& merged) {
  UploadEnd end;
  end.outcome = is_known(merged.outcome) ? merged.outcome : Outcome::failed;
  end.err = merged.progress.err;
  end.at = turn.state.wall;
  end.items_completed = merged.progress.items_completed;
  end.items_to_complete = merged.progress.items_to_complete;
  if (upload.timed_out && end.outcome == Outcome::canceled) {
    end.outcome = Outcome::failed;
    end.err = upload.cancel->reason;
  }
  return end;
}

UploadEnd canceled_end(const Turn& turn, const UploadRecord& upload, UploadView merged) {
  merged.outcome = Outcome::canceled;
  merged.progress.err =
      merged.attempts == 0 ? "canceled before anyone reported it" : "canceled: gone after a cancel";
  return end_of(turn, upload, merged);
}

AttemptView attempt_view(const AttemptRecord& attempt) {
  AttemptView view;
  view.segment = attempt.segment;
  view.part = attempt.identity.part;
  view.ordinal = attempt.ordinal;
  view.born_dead = attempt.born_dead;
  view.given_up = attempt.given_up;
  view.state = attempt.state;
  view.reason = attempt.reason;
  view.since = attempt.since;
  view.sample = attempt.sample;
  view.terminal = attempt.terminal;
  view.rate = attempt.rate;
  view.started = attempt.started;
  view.updated = attempt.updated;
  view.units = attempt.identity.units;
  view.node = attempt.node;
  return view;
}

UploadView merged_view(const Model& rows, const UploadRecord& upload) {
  std::vector<AttemptView> attempts;
  std::uint32_t said = 0;
  bool named = false;
  for (const auto& segment : rows.attempts_of(upload.id)) {
    const auto& attempt = *rows.attempt(segment);
    said = std::max(said, attempt.identity.parts_total);
    named = named || !attempt.identity.part.empty();
    attempts.push_back(attempt_view(attempt));
  }
  return merge_attempts(attempts, parts_needed(upload.parts, said, named));
}

}  // namespace

bool is_live(const BackupRecord& backup) {
  return !is_terminal(backup.phase) && backup.phase != BackupPhase::deleting;
}

bool has_room_for_backup(const ControllerState& state) {
  return state.rows.backups().size() < state.settings.limits.backups;
}

BackupRecord& create_backup(Turn& turn, NewBackup request) {
  BackupRecord backup;
  backup.uid = request.uid.empty() ? new_uid(turn) : std::move(request.uid);
  backup.name = std::move(request.name);
  backup.seal = request.seal;
  backup.source = request.source;
  backup.owner_uid = request.owner_uid;
  backup.created = turn.state.wall;
  backup.started = turn.state.wall;
  backup.born = turn.now;
  const auto unsealed = seal_timeout_length(turn.state.settings, backup.seal);
  if (unsealed > Duration(0))
    turn.state.timers.arm({TimerKind::seal_timeout, backup.uid}, turn.now + unsealed);
  const std::string uid = backup.uid;
  turn.rows().put(std::move(backup));
  touch_backup(turn, uid, true);
  return *turn.rows().edit_backup(uid);
}

std::string add_upload(Turn& turn, BackupRecord& backup, const ItemSpec& spec,
                       std::uint32_t owner_uid) {
  PLIMSOLL_CHECK(is_live(backup) && !backup.items_fixed);
  UploadRecord upload;
  upload.id = new_upload_id(turn);
  upload.backup_uid = backup.uid;
  upload.item = spec.item;
  upload.snapshot_id = spec.snapshot_id;
  upload.volume_id = spec.volume_id;
  upload.parts = spec.parts;
  upload.tracker = spec.tracker;
  upload.owner_uid = owner_uid;
  upload.created = turn.state.wall;
  upload.born = turn.now;
  const std::string id = upload.id;
  turn.rows().put(std::move(upload));
  ++turn.state.open_uploads[backup.uid];
  touch_upload(turn, id, true);
  touch_backup(turn, backup.uid, true);

  const ControllerSettings& settings = turn.state.settings;
  Timers& timers = turn.state.timers;
  const auto unsealed = seal_timeout_length(settings, backup.seal);
  if (unsealed > Duration(0))
    timers.arm({TimerKind::seal_timeout, backup.uid}, turn.now + unsealed);
  if (backup.seal == SealMode::manual) return id;
  timers.arm({TimerKind::auto_seal, backup.uid},
             turn.now + auto_seal_length(settings, backup.source));
  timers.arm({TimerKind::attach, id}, turn.now + settings.attach_timeout);
  if (backup.phase == BackupPhase::in_progress) change_phase(turn, backup, PhaseEvent::auto_item);
  return id;
}

void begin_upload_timeout(Turn& turn, const UploadRecord& upload) {
  const auto length = turn.state.settings.upload_timeout;
  if (length <= Duration(0) || upload.end || upload.timed_out) return;
  if (is_live(*turn.rows().backup(upload.backup_uid)))
    turn.state.timers.arm({TimerKind::upload_timeout, upload.id}, turn.now + length);
}

void latch_upload(Turn& turn, UploadRecord& upload, UploadEnd end) {
  if (upload.end) return;
  for (const auto kind : upload_timers())
    turn.state.timers.disarm({kind, upload.id});
  upload.end = std::move(end);
  touch_upload(turn, upload.id, true);
  auto& open = turn.state.open_uploads[upload.backup_uid];
  PLIMSOLL_CHECK(open > 0);
  --open;
  auto* backup = turn.rows().edit_backup(upload.backup_uid);
  touch_backup(turn, backup->uid, true);
  if (upload.end->outcome == Outcome::durable || !is_live(*backup)) return;
  backup->failed_latched = true;
  add_message(backup->errors, {turn.state.wall, upload.item, upload.end->err});
}

void refresh_upload(Turn& turn, std::string_view upload_id) {
  auto* upload = turn.rows().edit_upload(upload_id);
  if (upload == nullptr) return;
  if (!upload->end) {
    const UploadView merged = merged_view(turn.rows(), *upload);
    if (merged.progress.completed)
      latch_upload(turn, *upload, end_of(turn, *upload, merged));
    else if (upload->cancel && !has_live_attempt(turn.rows(), upload_id))
      latch_upload(turn, *upload, canceled_end(turn, *upload, merged));
    else if (merged.attempts > 0)
      rearm_attach(turn, *upload, merged);
  }
  const std::string uid = upload->backup_uid;
  if (turn.rows().backup(uid)->phase == BackupPhase::deleting)
    refresh_deletion(turn, uid);
  else
    refresh_backup(turn, uid);
}

void fix_items(Turn& turn, BackupRecord& backup) {
  backup.items_fixed = true;
  turn.state.timers.disarm({TimerKind::seal_timeout, backup.uid});
  touch_backup(turn, backup.uid, true);
  for (const auto& [item, id] : turn.rows().uploads_of(backup.uid)) {
    const auto* upload = turn.rows().upload(id);
    if (!upload->end) rearm_attach(turn, *upload, merged_view(turn.rows(), *upload));
  }
}

void refresh_backup(Turn& turn, std::string_view backup_uid) {
  auto* backup = turn.rows().edit_backup(backup_uid);
  if (backup == nullptr || !is_live(*backup)) return;
  if (backup->phase == BackupPhase::uploading && backup->failed_latched)
    change_phase(turn, *backup, PhaseEvent::failure_latched);
  if (open_uploads(turn.state, backup_uid) > 0) return;
  const bool has_uploads = !turn.rows().uploads_of(backup_uid).empty();
  const bool settled = backup->seal == SealMode::auto_ && has_uploads &&
                       !turn.state.timers.armed({TimerKind::auto_seal, backup->uid});
  if (!backup->items_fixed && settled) fix_items(turn, *backup);
  if (!backup->items_fixed || !(has_uploads || backup->allow_empty)) return;
  change_phase(turn, *backup,
               backup->failed_latched ? PhaseEvent::all_over : PhaseEvent::all_durable);
}

bool change_phase(Turn& turn, BackupRecord& backup, PhaseEvent event) {
  const auto next = next_phase(backup.phase, event);
  if (!next) return false;
  backup.phase = *next;
  turn.note(NoteLevel::info, "backup " + quoted(backup.name) + ": " + std::string(word(*next)));
  touch_backup(turn, backup.uid, true);
  if (is_live(backup)) return true;
  for (const auto kind : backup_timers())
    turn.state.timers.disarm({kind, backup.uid});
  if (!is_terminal(*next)) return true;
  backup.completed = turn.state.wall;
  if (turn.state.settings.keep_backups > Duration(0))
    turn.state.timers.arm({TimerKind::keep_backup, backup.uid},
                          turn.now + turn.state.settings.keep_backups);
  return true;
}

void add_message(std::vector<BackupMessage>& list, BackupMessage message) {
  message.text = clean_utf8(message.text, kMaxErrBytes);
  if (list.size() >= kMaxBackupMessages) list.erase(list.begin());
  list.push_back(std::move(message));
}

UploadView view_of(const Model& rows, const UploadRecord& upload) {
  UploadView view = merged_view(rows, upload);
  if (upload.end) {
    view.outcome = upload.end->outcome;
    view.state = state_of(view.outcome);
    view.progress.completed = true;
    view.progress.err = upload.end->err;
    view.progress.items_completed = upload.end->items_completed;
    view.progress.items_to_complete = upload.end->items_to_complete;
    view.since = upload.end->at;
    view.rate = -1;
    return view;
  }
  const bool moving = view.state != UploadState::cancelling && view.state != UploadState::lost;
  if (upload.cancel && moving) {
    view.state = UploadState::cancelling;
    view.reason = upload.cancel->reason;
    view.since = upload.cancel->at;
  }
  return view;
}

UploadView view_of_orphan(const AttemptRecord& orphan) {
  const AttemptView attempt = attempt_view(orphan);
  const bool named = !orphan.identity.part.empty();
  UploadView view =
      merge_attempts({&attempt, 1}, parts_needed(0, orphan.identity.parts_total, named));
  view.reason = orphan.orphan_reason;
  return view;
}

bool is_live(const AttemptRecord& attempt) {
  if (attempt.terminal) return false;
  return attempt.state != AttemptState::lost || attempt.lost_cause == LostCause::no_word;
}

bool has_live_attempt(const Model& rows, std::string_view upload_id) {
  const auto& segments = rows.attempts_of(upload_id);
  return std::any_of(segments.begin(), segments.end(),
                     [&](const SegmentId& segment) { return is_live(*rows.attempt(segment)); });
}

WhoEnds who_ends(const ControllerState& state, const UploadRecord& upload) {
  if (upload.end) return WhoEnds::nobody;
  const Timers& timers = state.timers;
  bool timed = timers.armed({TimerKind::cancel_timeout, upload.backup_uid});
  for (const auto kind : upload_timers())
    timed = timed || timers.armed({kind, upload.id});
  for (const auto& segment : state.rows.attempts_of(upload.id)) {
    const auto& attempt = *state.rows.attempt(segment);
    const auto contact = state.contacts.find(attempt.node);
    const bool heard = contact != state.contacts.end() && contact->second.connection;
    if (is_live(attempt) && heard) return WhoEnds::mover;
    timed = timed || timers.armed({TimerKind::lost, to_hex(segment)}) ||
            timers.armed({TimerKind::retry, to_hex(segment)}) ||
            (is_live(attempt) && timers.armed({TimerKind::grace, attempt.node}));
  }
  return timed ? WhoEnds::timer : WhoEnds::person;
}

}  // namespace plimsoll
