// sim_clients.cpp - calls to the controller, remembered only as far as they were answered.
#include "tests/simulation/sim_clients.hpp"

#include <algorithm>

namespace plimsoll::sim {
namespace {

constexpr std::size_t kMaxBackups = 6;
constexpr std::size_t kMaxMovers = 40;
constexpr std::size_t kMaxItems = 4;

}  // namespace

void SimClients::act() {
  if (!controller_.alive() || controller_.paused()) return;
  learn_uids();
  if (world_.backups.empty() || (world_.backups.size() < kMaxBackups && world_.rng.one_in(12)))
    return create_backup();
  const auto backup = world_.rng.below(world_.backups.size());
  switch (world_.rng.below(24)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return add_item(backup);
    case 4:
      return seal(backup);
    case 5:
      return world_.rng.one_in(4) ? remove(backup) : void();
    case 6:
      return world_.rng.one_in(4) ? cancel(backup) : void();
    default:
      return world_.rng.one_in(2) ? start_mover(backup) : void();
  }
}

std::string SimClients::new_name() {
  // The name of a backup that is gone is used again: nothing of the old one may count for the new
  // one.
  for (const auto& old : world_.backups) {
    const bool gone = old.deleted && !world_.disk.backups.contains(old.uid);
    const bool free = std::none_of(
        world_.backups.begin(), world_.backups.end(),
        [&](const BackupTruth& other) { return other.name == old.name && !other.delete_asked; });
    if (gone && free && world_.rng.one_in(2)) return old.name;
  }
  return "backup-" + std::to_string(world_.backups.size());
}

void SimClients::create_backup() {
  BackupTruth truth;
  truth.name = new_name();
  const auto index = world_.backups.size();
  world_.backups.push_back(truth);
  CreateBackupCall call;
  call.name = truth.name;
  call.seal = world_.rng.one_in(3) ? SealMode::auto_ : SealMode::manual;
  world_.note("client: create " + truth.name);
  controller_.request(call, [this, index](const ApiResult& result) {
    if (result && result->backup) world_.backups[index].uid = result->backup->uid;
  });
}

void SimClients::learn_uids() {
  for (auto& truth : world_.backups) {
    if (!truth.uid.empty()) continue;
    for (const auto& [uid, record] : world_.disk.backups) {
      const bool known = std::any_of(world_.backups.begin(), world_.backups.end(),
                                     [&](const BackupTruth& t) { return t.uid == uid; });
      if (record.name == truth.name && !known) truth.uid = uid;
    }
  }
}

void SimClients::add_item(std::size_t backup) {
  auto& truth = world_.backups[backup];
  if (truth.sealed || truth.delete_asked || truth.uid.empty()) return;
  if (truth.parts.size() >= kMaxItems) return;
  const std::string item = "volumes/shop/data-" + std::to_string(truth.parts.size());
  truth.parts[item] = world_.rng.one_in(4) ? 2 : 1;
  AddItemCall call;
  call.backup = truth.uid;
  call.item.item = item;
  call.item.parts = truth.parts[item] == 2 && world_.rng.one_in(2) ? 2 : 0;
  world_.note("client: add " + item + " to " + truth.name);
  controller_.request(call, [this, backup, item](const ApiResult& result) {
    if (result) world_.backups[backup].items.insert(item);
  });
}

void SimClients::seal(std::size_t backup) {
  auto& truth = world_.backups[backup];
  if (truth.sealed || truth.delete_asked || truth.items.empty()) return;
  world_.note("client: seal " + truth.name);
  controller_.request(SealCall{truth.uid, SealOutcome::ok, {}, false},
                      [this, backup](const ApiResult& result) {
                        if (result) world_.backups[backup].sealed = true;
                      });
}

// A report looks younger than its segment by as long as it was under way. A mover that names no UID
// and began that shortly before a deletion cannot be told from one that began after it
// (docs/design.md, 12): not done here.
bool SimClients::has_fresh_nameless_mover(std::size_t backup) const {
  constexpr std::int64_t kLongestUnderWayNs = 12'000'000'000;
  const auto now_ns = world_.now.time_since_epoch().count();
  return std::any_of(world_.movers.begin(), world_.movers.end(), [&](const Mover& mover) {
    const auto age_ns = now_ns - static_cast<std::int64_t>(mover.start_boottime_ns);
    return mover.backup == backup && mover.identity.backup_uid.empty() &&
           age_ns < kLongestUnderWayNs;
  });
}

void SimClients::remove(std::size_t backup) {
  auto& truth = world_.backups[backup];
  if (truth.uid.empty() || truth.deleted) return;
  if (!truth.delete_asked && has_fresh_nameless_mover(backup)) return;
  truth.delete_asked = true;
  world_.note("client: delete " + truth.name);
  controller_.request(DeleteBackupCall{truth.uid}, [this, backup](const ApiResult& result) {
    auto& row = world_.backups[backup];
    const bool gone = !result && result.error().error.code == ErrorCode::gone;
    if (!result && !gone) return;
    row.deleted = true;
    row.deleted_at = world_.now;
    world_.laws.check_deleted(world_.disk, row.uid);
  });
}

void SimClients::cancel(std::size_t backup) {
  auto& truth = world_.backups[backup];
  if (truth.uid.empty() || truth.delete_asked) return;
  world_.note("client: cancel " + truth.name);
  controller_.request(CancelBackupCall{truth.uid, "changed my mind"}, [](const ApiResult&) {});
}

void SimClients::start_mover(std::size_t backup) {
  auto& truth = world_.backups[backup];
  if (truth.delete_asked || truth.parts.empty() || world_.movers.size() >= kMaxMovers) return;
  auto chosen = truth.parts.begin();
  std::advance(chosen, static_cast<std::ptrdiff_t>(world_.rng.below(truth.parts.size())));
  Mover mover;
  mover.segment = {world_.rng.next() | 1U, ++segments_};
  mover.backup = backup;
  mover.node = world_.rng.below(nodes_);
  mover.start_boottime_ns = static_cast<std::uint64_t>(world_.now.time_since_epoch().count());
  mover.stubborn = world_.rng.one_in(10);
  mover.identity.backup = truth.name;
  if (world_.rng.one_in(2)) mover.identity.backup_uid = truth.uid;
  mover.identity.item = chosen->first;
  if (chosen->second == 2) {
    mover.identity.part = world_.rng.one_in(2) ? "a" : "b";
    mover.identity.parts_total = 2;
  }
  mover.sample.total = 500 + static_cast<std::int64_t>(world_.rng.below(3000));
  world_.note("mover " + to_hex(mover.segment).substr(0, 8) + " starts for " + truth.name + " " +
              chosen->first + " " + mover.identity.part);
  world_.movers.push_back(mover);
}

void SimClients::finish() {
  if (!controller_.alive()) return;
  learn_uids();
  for (auto& mover : world_.movers)
    mover.stubborn = false;
  for (std::size_t i = 0; i < world_.backups.size(); ++i) {
    const auto& truth = world_.backups[i];
    const auto row = world_.disk.backups.find(truth.uid);
    if (truth.delete_asked) remove(i);  // no-op once it was answered
    if (truth.delete_asked || row == world_.disk.backups.end()) continue;
    if (row->second.phase != BackupPhase::in_progress) continue;
    controller_.request(SealCall{truth.uid, SealOutcome::ok, {}, true}, [](const ApiResult&) {});
  }
}

}  // namespace plimsoll::sim
