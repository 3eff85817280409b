// full_records.cpp - see full_records.hpp.
#include "tests/unit/store/full_records.hpp"

#include <fmt/format.h>

#include "controller/io/record_json.hpp"

namespace plimsoll::test {
namespace {

WallTime at(int n) {
  return WallTime(milliseconds(1'700'000'000'000 + n));
}

std::string text_of(const std::optional<WallTime>& time) {
  return time ? std::to_string(time->time_since_epoch().count()) : "-";
}

std::string text_of(const std::optional<std::string>& text) {
  return text.value_or("-");
}

}  // namespace

BackupRecord full_backup(int n) {
  BackupRecord record;
  record.uid = "uid-" + std::to_string(n);
  record.name = "nightly-" + std::to_string(n);
  record.seal = SealMode::auto_;
  record.source = BackupSource::velero;
  record.owner_uid = 4'000'000'000U;
  record.run_by_controller = true;
  record.phase = BackupPhase::uploading;
  record.failed_latched = true;
  record.items_fixed = true;
  record.outcome = SealOutcome::partial;
  record.allow_empty = true;
  record.created = at(n);
  record.started = at(n + 1);
  record.completed = at(n + 2);
  record.errors = {{at(n), "seal", "a \"quoted\" error, ünïcode"}, {std::nullopt, "item", ""}};
  record.warnings = {{at(n), "controller", "a warning"}};
  record.timers = {{TimerKind::keep_backup, Duration(123'456'789'012)}};
  return record;
}

UploadRecord full_upload(int n, const std::string& backup_uid) {
  UploadRecord record;
  record.id = fmt::format("{:016x}", n);
  record.backup_uid = backup_uid;
  record.item = "persistentvolumeclaims/shop/data-" + std::to_string(n);
  record.snapshot_id = "snap-" + std::to_string(n);
  record.volume_id = "vol-" + std::to_string(n);
  record.parts = 7;
  record.tracker = "tracker";
  record.owner_uid = 1000;
  record.created = at(n);
  record.cancel = CancelRequest{at(n + 1), "a person said so"};
  record.timed_out = true;
  record.timers = {{TimerKind::attach, Duration(1)}, {TimerKind::upload_timeout, Duration(2)}};
  return record;
}

AttemptRecord full_attempt(int n, const std::string& upload_id) {
  AttemptRecord record;
  record.segment = SegmentId{static_cast<std::uint64_t>(n), 0xFFFF'FFFF'FFFF'FFFFULL};
  record.upload_id = upload_id;
  record.orphan_reason = upload_id.empty() ? "no backup of that name" : "";
  record.ordinal = 3;
  record.born_dead = true;
  record.node = "node-a";
  record.boot = BootId{5, 6};
  record.domain = "default";
  record.owner_uid = 1001;
  record.identity = {"nightly", "uid-1", "paths/srv", "snap", "vol",   "part-1",          4,
                     2,         "bytes", "restic",    "0.14", {"a=b"}, 1'700'000'000'000, true};
  record.seq = 0xFFFF'FFFF'FFFF'FFF0ULL;
  record.sample = {10, 20, 30, 40, 5, 6, 7, 8, Activity::finishing, "a line"};
  record.state = AttemptState::stalled;
  record.reason = "no progress";
  record.since = at(n);
  record.started = at(n + 1);
  record.updated = at(n + 2);
  record.rate = 1.5;
  record.lost_cause = LostCause::boot;
  record.retrieval_error = RetrievalError{"cannot read", at(n)};
  record.given_up = true;
  record.began = at(n + 3);
  record.timers = {{TimerKind::lost, Duration(99)}};
  return record;
}

NodeRecord full_node(int n) {
  NodeRecord record;
  record.name = "node-" + std::to_string(n);
  record.boot = BootId{7, static_cast<std::uint64_t>(n)};
  record.session = 41;
  record.agent_version = "0.1.0";
  record.lost_after = seconds(17);
  record.last_heard = at(n);
  record.timers = {{TimerKind::grace, Duration(5)}};
  return record;
}

TombstoneRecord full_tombstone(int n) {
  TombstoneRecord record;
  record.uid = "gone-" + std::to_string(n);
  record.name = "old";
  record.deleted_at = at(n);
  record.left_behind = {{SegmentId{1, 2}, "paths/srv", "node-a", true}};
  record.timers = {{TimerKind::keep_tombstone, Duration(6)}};
  return record;
}

EventRecord event_of(const AttemptRecord& attempt, int n) {
  return {attempt.segment,
          attempt.upload_id,
          {Severity::warning, "event " + std::to_string(n), 1'700'000'000'000 + n}};
}

std::string text_of(const BackupRecord& r) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", r.uid, r.name,
                     static_cast<int>(r.seal), static_cast<int>(r.source), r.owner_uid,
                     r.run_by_controller, static_cast<int>(r.phase), r.failed_latched,
                     r.items_fixed, static_cast<int>(r.outcome), r.allow_empty, text_of(r.created),
                     text_of(r.started), text_of(r.completed), record_json::write(r.errors),
                     record_json::write(r.warnings), record_json::write(r.timers));
}

std::string text_of(const UploadRecord& r) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {}", r.id, r.backup_uid, r.item,
                     r.snapshot_id, r.volume_id, r.parts, r.tracker, r.owner_uid,
                     text_of(r.created), text_of(record_json::write(r.cancel)), r.timed_out,
                     text_of(record_json::write(r.end)), record_json::write(r.timers));
}

std::string text_of(const AttemptRecord& r) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}",
                     to_hex(r.segment), r.upload_id, r.orphan_reason, r.ordinal, r.born_dead,
                     r.node, to_hex(r.boot), r.domain, r.owner_uid, record_json::write(r.identity),
                     r.seq, record_json::write(r.sample), static_cast<int>(r.state), r.reason,
                     text_of(r.since), text_of(r.started), text_of(r.updated), r.rate,
                     static_cast<int>(r.lost_cause), text_of(record_json::write(r.retrieval_error)),
                     text_of(record_json::write(r.terminal)), r.given_up, text_of(r.began),
                     record_json::write(r.timers));
}

std::string text_of(const NodeRecord& r) {
  return fmt::format("{} {} {} {} {} {} {}", r.name, to_hex(r.boot), r.session, r.agent_version,
                     r.lost_after.count(), text_of(r.last_heard), record_json::write(r.timers));
}

std::string text_of(const TombstoneRecord& r) {
  return fmt::format("{} {} {} {} {}", r.uid, r.name, text_of(r.deleted_at),
                     record_json::write(r.left_behind), record_json::write(r.timers));
}

std::string text_of(const LoadedStore& loaded) {
  std::string all;
  for (const auto& row : loaded.backups)
    all += "backup " + text_of(row) + "\n";
  for (const auto& row : loaded.uploads)
    all += "upload " + text_of(row) + "\n";
  for (const auto& row : loaded.attempts)
    all += "attempt " + text_of(row) + "\n";
  for (const auto& row : loaded.nodes)
    all += "node " + text_of(row) + "\n";
  for (const auto& row : loaded.tombstones)
    all += "tombstone " + text_of(row) + "\n";
  return all;
}

}  // namespace plimsoll::test
