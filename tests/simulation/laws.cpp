// laws.cpp - the laws, each against the truth or against the durable image.
#include "tests/simulation/laws.hpp"

#include <algorithm>

#include "tests/simulation/context.hpp"

namespace plimsoll::sim {
namespace {

bool is_refused(const Ack& ack, const SegmentId& segment) {
  return std::any_of(ack.refused.begin(), ack.refused.end(),
                     [&](const RefusedReport& refused) { return refused.segment == segment; });
}

}  // namespace

void Laws::broken(std::string law, std::string text) {
  if (!violation_) violation_ = Violation{std::move(law), std::move(text)};
}

void Laws::check_disk(const Disk& disk, const std::vector<BackupTruth>& backups) {
  for (const auto& [uid, record] : disk.backups) {
    const auto before = seen_.find(uid);
    if (before != seen_.end()) check_phase_step(uid, before->second, record.phase);
    seen_[uid] = record.phase;
    const auto truth = std::find_if(backups.begin(), backups.end(),
                                    [&](const BackupTruth& t) { return t.uid == uid; });
    if (truth == backups.end()) continue;
    if (record.phase == BackupPhase::completed) check_completed(disk, *truth, uid);
    if (truth->deleted && record.phase != BackupPhase::deleting)
      broken("S8", "backup " + record.name + " is " + std::string(word(record.phase)) +
                       " after its deletion was acknowledged");
  }
}

void Laws::check_completed(const Disk& disk, const BackupTruth& truth, const std::string& uid) {
  std::set<std::string> expected;
  for (const auto& [id, upload] : disk.uploads)
    if (upload.backup_uid == uid) expected.insert(upload.item);
  for (const auto& item : truth.items)
    if (!expected.contains(item))
      broken("S1", truth.name + " is Completed without its acknowledged item " + item);
  for (const auto& item : expected) {
    const auto durable = truth.durable_parts.find(item);
    const auto needed = truth.parts.find(item);
    const std::size_t have = durable == truth.durable_parts.end() ? 0 : durable->second.size();
    const std::size_t need = needed == truth.parts.end() ? 1 : needed->second;
    if (have < need)
      broken("S1", truth.name + " is Completed, but " + item + " has " + std::to_string(have) +
                       " of " + std::to_string(need) + " parts durable");
  }
}

void Laws::check_phase_step(const std::string& uid, BackupPhase from, BackupPhase to) {
  if (from == to) return;
  const bool out_of_terminal = is_terminal(from) && to != BackupPhase::deleting;
  const bool out_of_deleting = from == BackupPhase::deleting;
  const bool failure_forgotten = from == BackupPhase::uploading_partial_failure &&
                                 (to == BackupPhase::uploading || to == BackupPhase::completed);
  if (out_of_terminal || out_of_deleting || failure_forgotten)
    broken("S2", "backup " + uid + " went from " + std::string(word(from)) + " to " +
                     std::string(word(to)));
}

void Laws::check_ack(const Disk& disk, std::span<const Batch> acked, const Ack& ack) {
  for (const auto& batch : acked) {
    for (const auto& report : batch.reports) {
      if (is_refused(ack, report.segment)) continue;
      const auto row = disk.attempts.find(report.segment);
      const std::string name = to_hex(report.segment).substr(0, 8);
      if (row == disk.attempts.end()) {
        // A backup that is gone has taken its attempts along; its tombstone is what was committed.
        if (disk.tombstones.empty()) broken("S5", name + " was acknowledged and is not stored");
        continue;
      }
      const auto& stored = row->second;
      if (report.sample && stored.seq < report.seq && !stored.terminal)
        broken("S5", name + ": seq " + std::to_string(report.seq) +
                         " was acknowledged, stored is " + std::to_string(stored.seq));
      if (report.terminal && !stored.terminal)
        broken("S5", name + ": its end was acknowledged and is not stored");
    }
  }
}

void Laws::check_cancels(const Context& world, Duration calm) {
  for (const auto& mover : world.movers) {
    const auto& backup = world.backups[mover.backup];
    const bool ours = backup.deleted && mover.bound_uid == backup.uid;
    const bool could_be_told = mover.alive && !mover.terminal && !mover.unlinked;
    const bool long_ago =
        world.now - backup.deleted_at >= calm && world.now - mover.bound_at >= calm;
    if (ours && could_be_told && long_ago && !mover.cancel_byte)
      broken("S8", "a mover of deleted " + backup.name + " was never told to cancel");
  }
}

void Laws::check_unlink(const Context& world, const Mover& mover) {
  const auto row = world.disk.attempts.find(mover.segment);
  const bool kept = row != world.disk.attempts.end() && row->second.terminal.has_value();
  if (mover.terminal && !kept && !world.backups[mover.backup].delete_asked)
    broken("S15", "a segment was removed before its end was committed");
}

void Laws::check_deleted(const Disk& disk, const std::string& uid) {
  const auto row = disk.backups.find(uid);
  if (row != disk.backups.end() && row->second.phase != BackupPhase::deleting)
    broken("S5", "deletion of " + uid + " was acknowledged and is not stored");
}

void Laws::check_settled(const Disk& disk) {
  for (const auto& [uid, record] : disk.backups)
    if (!is_terminal(record.phase))
      broken("L1", record.name + " is still " + std::string(word(record.phase)) +
                       " when all faults are long over");
}

}  // namespace plimsoll::sim
