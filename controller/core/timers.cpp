// timers.cpp - see timers.hpp.
#include "controller/core/timers.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace plimsoll {
namespace {

constexpr std::array kBackupTimers = {TimerKind::auto_seal, TimerKind::seal_timeout,
                                      TimerKind::cancel_timeout, TimerKind::keep_backup};
constexpr std::array kUploadTimers = {TimerKind::attach, TimerKind::upload_timeout,
                                      TimerKind::upload_cancel};
constexpr std::array kAttemptTimers = {TimerKind::retry, TimerKind::lost, TimerKind::keep_orphan};
constexpr std::array kNodeTimers = {TimerKind::grace};
constexpr std::array kTombstoneTimers = {TimerKind::keep_tombstone};

constexpr Duration kLeastAfterRestart = std::chrono::minutes(2);  // agents and movers get to speak

}  // namespace

void Timers::arm(const TimerKey& key, TimePoint deadline) {
  disarm(key);
  deadlines_[key] = deadline;
  queue_.emplace(deadline, key);
}

void Timers::disarm(const TimerKey& key) {
  const auto found = deadlines_.find(key);
  if (found == deadlines_.end()) return;
  queue_.erase({found->second, key});
  deadlines_.erase(found);
}

std::optional<TimePoint> Timers::next() const {
  if (queue_.empty()) return std::nullopt;
  return queue_.begin()->first;
}

std::vector<TimerKey> Timers::take_due(TimePoint now) {
  std::vector<TimerKey> due;
  while (!queue_.empty() && queue_.begin()->first <= now) {
    due.push_back(queue_.begin()->second);
    deadlines_.erase(due.back());
    queue_.erase(queue_.begin());
  }
  return due;
}

std::vector<StoredTimer> Timers::remaining(std::string_view id, std::span<const TimerKind> kinds,
                                           TimePoint now) const {
  std::vector<StoredTimer> stored;
  for (const auto kind : kinds) {
    const auto found = deadlines_.find(TimerKey{kind, std::string(id)});
    if (found != deadlines_.end())
      stored.push_back({kind, std::max(Duration(0), found->second - now)});
  }
  return stored;
}

std::span<const TimerKind> backup_timers() {
  return kBackupTimers;
}
std::span<const TimerKind> upload_timers() {
  return kUploadTimers;
}
std::span<const TimerKind> attempt_timers() {
  return kAttemptTimers;
}
std::span<const TimerKind> node_timers() {
  return kNodeTimers;
}
std::span<const TimerKind> tombstone_timers() {
  return kTombstoneTimers;
}

bool is_keep_timer(TimerKind kind) {
  return kind == TimerKind::keep_backup || kind == TimerKind::keep_tombstone ||
         kind == TimerKind::keep_orphan;
}

Duration auto_seal_length(const ControllerSettings& settings, BackupSource source) {
  return source == BackupSource::velero ? settings.auto_seal_after_velero
                                        : settings.auto_seal_after;
}

Duration seal_timeout_length(const ControllerSettings& settings, SealMode seal) {
  return seal == SealMode::auto_ ? settings.seal_timeout_auto : settings.seal_timeout;
}

Duration remaining_after_restart(Duration remaining, Duration whole) {
  return std::max(remaining, std::min(kLeastAfterRestart, whole));
}

}  // namespace plimsoll
