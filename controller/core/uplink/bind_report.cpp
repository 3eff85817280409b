// bind_report.cpp - see bind_report.hpp.
#include "controller/core/uplink/bind_report.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "controller/core/backups/expected_uploads.hpp"
#include "schemas/text.hpp"
#include "schemas/text_bounds.hpp"
#include "schemas/time_text.hpp"

namespace plimsoll {
namespace {

constexpr Duration kAgeSlack = seconds(10);  // between a mover's start and the backup's, either way

Orphaned orphaned(std::string reason) {
  return Orphaned{std::move(reason)};
}

bool contradicts(const std::string& said, const std::string& registered) {
  return !said.empty() && !registered.empty() && said != registered;
}

Binding bound_if_consistent(const UploadRecord& upload, const Identity& identity) {
  if (contradicts(identity.item, upload.item))
    return orphaned("its snapshot or volume belongs to item " + quoted(upload.item));
  if (contradicts(identity.snapshot_id, upload.snapshot_id))
    return orphaned("item " + quoted(upload.item) + " has another snapshot ID");
  if (contradicts(identity.volume_id, upload.volume_id))
    return orphaned("item " + quoted(upload.item) + " has another volume ID");
  return BoundTo{upload.id};
}

// Uploads that one id names, within a backup, or ("") within all backups that are neither over nor
// Deleting.
std::vector<const UploadRecord*> candidates(const Model& rows, const std::set<std::string>& ids,
                                            std::string_view backup_uid) {
  std::vector<const UploadRecord*> found;
  for (const auto& id : ids) {
    const auto* upload = rows.upload(id);
    const bool wanted = backup_uid.empty() ? is_live(*rows.backup(upload->backup_uid))
                                           : upload->backup_uid == backup_uid;
    if (wanted) found.push_back(upload);
  }
  return found;
}

// Nothing: the id names no upload, ask the next one.
std::optional<Binding> bind_by_id(const std::vector<const UploadRecord*>& found,
                                  const Identity& identity, const std::string& what) {
  if (found.empty()) return std::nullopt;
  if (found.size() == 1) return bound_if_consistent(*found.front(), identity);
  for (const auto* upload : found)
    if (upload->item == identity.item) return bound_if_consistent(*upload, identity);
  return orphaned(what + " names " + std::to_string(found.size()) + " uploads");
}

std::optional<Binding> bind_by_snapshot(const Model& rows, const Identity& identity,
                                        std::string_view backup_uid) {
  if (identity.snapshot_id.empty()) return std::nullopt;
  return bind_by_id(candidates(rows, rows.uploads_with_snapshot(identity.snapshot_id), backup_uid),
                    identity, "snapshot ID " + quoted(identity.snapshot_id));
}

std::optional<Binding> bind_by_volume(const Model& rows, const Identity& identity,
                                      std::string_view backup_uid) {
  if (identity.volume_id.empty()) return std::nullopt;
  return bind_by_id(candidates(rows, rows.uploads_with_volume(identity.volume_id), backup_uid),
                    identity, "volume ID " + quoted(identity.volume_id));
}

bool began_in_time(const Turn& turn, const AttemptRecord& attempt, const BackupRecord& backup) {
  if (attempt.born + kAgeSlack >= backup.born) return true;
  const auto* upload = turn.rows().upload_of(backup.uid, attempt.identity.item);
  return upload != nullptr && upload->born >= attempt.born;
}

bool may_add_item(const Turn& turn, const AttemptRecord& attempt, const BackupRecord& backup) {
  return attempt.identity.auto_backup && !attempt.identity.item.empty() && is_live(backup) &&
         !backup.items_fixed &&
         turn.rows().uploads_of(backup.uid).size() < turn.state.settings.limits.items_per_backup;
}

Binding bind_new_item(Turn& turn, const AttemptRecord& attempt, const std::string& backup_uid) {
  auto* backup = turn.rows().edit_backup(backup_uid);
  const Identity& identity = attempt.identity;
  if (!may_add_item(turn, attempt, *backup)) {
    const std::string end = backup->items_fixed ? ", and is sealed" : "";
    return orphaned("backup " + quoted(backup->name) + " has no item " + quoted(identity.item) +
                    end);
  }
  const ItemSpec spec{identity.item, identity.snapshot_id, identity.volume_id, 0, ""};
  return BoundTo{add_upload(turn, *backup, spec, attempt.owner_uid)};
}

// Snapshot ID, then (backup, item), then volume ID.
Binding bind_in_backup(Turn& turn, const AttemptRecord& attempt, const std::string& backup_uid) {
  const Identity& identity = attempt.identity;
  const Model& rows = turn.rows();
  if (auto bound = bind_by_snapshot(rows, identity, backup_uid)) return *bound;
  if (const auto* upload = rows.upload_of(backup_uid, identity.item))
    return bound_if_consistent(*upload, identity);
  if (auto bound = bind_by_volume(rows, identity, backup_uid)) return *bound;
  if (identity.item.empty()) return orphaned("it names no item, and its ids name no upload");
  return bind_new_item(turn, attempt, backup_uid);
}

std::string name_for_another(const Turn& turn, const std::string& name) {
  const std::string suffix = "-" + compact_utc_text(turn.state.wall);
  std::string stem = name.substr(0, kMaxBackupBytes - suffix.size());
  while (!stem.empty() && (stem.back() == '.' || stem.back() == '-'))
    stem.pop_back();
  return stem + suffix;
}

// Nobody answered `plimsoll run` before its segment was opened: the backup and its item are made
// now.
Binding make_backup(Turn& turn, const AttemptRecord& attempt, const std::string& name) {
  if (attempt.identity.item.empty()) return orphaned("it names no item");
  if (const auto* same = turn.rows().backup_by_name(name))
    return bind_in_backup(turn, attempt, std::string(same->uid));
  if (!has_room_for_backup(turn.state)) return orphaned("there is no room for another backup");
  const auto& backup =
      create_backup(turn, {name, "", SealMode::auto_, BackupSource::run, attempt.owner_uid});
  return bind_in_backup(turn, attempt, std::string(backup.uid));
}

Binding bind_by_name(Turn& turn, const AttemptRecord& attempt) {
  const Identity& identity = attempt.identity;
  const std::string name = quoted(identity.backup);
  const auto* grave = turn.rows().youngest_tombstone(identity.backup);
  if (grave != nullptr && grave->born > attempt.born)
    return orphaned("backup " + name + " was deleted after this mover began");
  const auto* backup = turn.rows().backup_by_name(identity.backup);
  if (backup == nullptr && identity.auto_backup) return make_backup(turn, attempt, identity.backup);
  if (backup == nullptr) return orphaned("no backup " + name);
  // A mover that turns up for a backup that is being deleted is bound, so that it is told to stop.
  const bool dying = backup->phase == BackupPhase::deleting &&
                     turn.rows().upload_of(backup->uid, identity.item) != nullptr;
  if (is_live(*backup) || (dying && !identity.auto_backup)) {
    if (!began_in_time(turn, attempt, *backup))
      return orphaned("it began before backup " + name + " was created");
    return bind_in_backup(turn, attempt, std::string(backup->uid));
  }
  if (identity.auto_backup)
    return make_backup(turn, attempt, name_for_another(turn, identity.backup));
  return orphaned("backup " + name + " is " + std::string(word(backup->phase)));
}

Binding bind_by_uid(Turn& turn, const AttemptRecord& attempt) {
  const Identity& identity = attempt.identity;
  if (turn.rows().tombstone(identity.backup_uid) != nullptr)
    return OfTombstone{identity.backup_uid};
  const auto* backup = turn.rows().backup(identity.backup_uid);
  if (backup == nullptr) return orphaned("no backup with UID " + quoted(identity.backup_uid));
  if (contradicts(identity.backup, backup->name))
    return orphaned("backup UID " + quoted(backup->uid) + " belongs to " + quoted(backup->name));
  return bind_in_backup(turn, attempt, std::string(backup->uid));
}

Binding bind_by_ids_alone(const Turn& turn, const AttemptRecord& attempt) {
  const Identity& identity = attempt.identity;
  auto bound = bind_by_snapshot(turn.rows(), identity, "");
  if (!bound) bound = bind_by_volume(turn.rows(), identity, "");
  if (!bound) return orphaned("it names no backup, and its ids name no upload");
  const auto* to = std::get_if<BoundTo>(&*bound);
  if (to == nullptr) return *bound;
  const auto& upload = *turn.rows().upload(to->upload_id);
  const bool in_time = attempt.born + kAgeSlack >= turn.rows().backup(upload.backup_uid)->born ||
                       upload.born >= attempt.born;
  if (!in_time) return orphaned("it began before the backup it would belong to");
  return *bound;
}

bool may_concern(const AttemptRecord& orphan, const BackupRecord& backup) {
  const Identity& identity = orphan.identity;
  if (!identity.backup_uid.empty()) return identity.backup_uid == backup.uid;
  return identity.backup.empty() || identity.backup == backup.name;
}

void adopt(Turn& turn, const SegmentId& segment) {
  const AttemptRecord orphan = *turn.rows().attempt(segment);
  const Binding binding = bind_attempt(turn, orphan);
  if (const auto* to = std::get_if<BoundTo>(&binding)) {
    queue_adoption(turn, {segment, to->upload_id});
    join_upload(turn, orphan, to->upload_id);
  }
  const auto* why = std::get_if<Orphaned>(&binding);
  auto* still = turn.rows().edit_attempt(segment);
  if (why == nullptr || still == nullptr || still->orphan_reason == why->reason) return;
  still->orphan_reason = clean_utf8(why->reason, kMaxReasonBytes);
  touch_attempt(turn, segment, false);
}

}  // namespace

Binding bind_attempt(Turn& turn, const AttemptRecord& attempt) {
  if (const auto* grave = turn.rows().tombstone_of(attempt.segment)) return OfTombstone{grave->uid};
  if (!attempt.identity.backup_uid.empty()) return bind_by_uid(turn, attempt);
  if (!attempt.identity.backup.empty()) return bind_by_name(turn, attempt);
  return bind_by_ids_alone(turn, attempt);
}

void join_upload(Turn& turn, AttemptRecord attempt, const std::string& upload_id) {
  const SegmentId segment = attempt.segment;
  turn.state.timers.disarm({TimerKind::keep_orphan, to_hex(segment)});
  attempt.ordinal = ordinal_for(turn.rows(), upload_id, attempt.identity);
  attempt.upload_id = upload_id;
  attempt.orphan_reason.clear();
  turn.rows().put(std::move(attempt));
  touch_attempt(turn, segment, true);
  begin_upload_timeout(turn, *turn.rows().upload(upload_id));
  refresh_upload(turn, upload_id);
}

bool keep_orphan(Turn& turn, AttemptRecord attempt, std::string reason) {
  if (turn.rows().orphans().size() >= turn.state.settings.limits.orphans) return false;
  const SegmentId segment = attempt.segment;
  attempt.orphan_reason = clean_utf8(reason, kMaxReasonBytes);
  turn.rows().put(std::move(attempt));
  touch_attempt(turn, segment, true);
  return true;
}

void refresh_orphan(Turn& turn, const AttemptRecord& attempt) {
  const TimerKey key{TimerKind::keep_orphan, to_hex(attempt.segment)};
  const bool over = attempt.terminal || attempt.state == AttemptState::lost;
  if (!over) turn.state.timers.disarm(key);
  if (over && !turn.state.timers.armed(key))
    turn.state.timers.arm(key, turn.now + turn.state.settings.keep_orphans);
}

void adopt_orphans(Turn& turn, std::string_view backup_uid) {
  const auto* backup = turn.rows().backup(backup_uid);
  std::vector<SegmentId> wanted;
  for (const auto& segment : turn.rows().orphans())
    if (may_concern(*turn.rows().attempt(segment), *backup)) wanted.push_back(segment);
  // In the order they began, as attempts are numbered.
  std::stable_sort(wanted.begin(), wanted.end(), [&](const SegmentId& a, const SegmentId& b) {
    return turn.rows().attempt(a)->born < turn.rows().attempt(b)->born;
  });
  for (const auto& segment : wanted)
    adopt(turn, segment);
}

}  // namespace plimsoll
