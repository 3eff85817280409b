// timers.hpp - every timer of the controller, by what it belongs to. Deadlines are core time.
#pragma once

#include <chrono>
#include <compare>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controller/core/records.hpp"
#include "controller/core/settings.hpp"
#include "schemas/time.hpp"

namespace plimsoll {

struct TimerKey {
  TimerKind kind = TimerKind::auto_seal;
  std::string id;  // backup UID, upload id, segment in hex, node, tombstone's UID: whichever `kind`
                   // belongs to
  auto operator<=>(const TimerKey&) const = default;
};

class Timers {
 public:
  void arm(const TimerKey& key, TimePoint deadline);  // again: moves it
  void disarm(const TimerKey& key);
  [[nodiscard]] bool armed(const TimerKey& key) const { return deadlines_.count(key) != 0; }
  [[nodiscard]] std::optional<TimePoint> next() const;

  // Timers whose time has come, oldest first; they are disarmed.
  [[nodiscard]] std::vector<TimerKey> take_due(TimePoint now);

  // What remains of `id`'s timers among `kinds`, never negative.
  [[nodiscard]] std::vector<StoredTimer> remaining(std::string_view id,
                                                   std::span<const TimerKind> kinds,
                                                   TimePoint now) const;
  [[nodiscard]] const std::map<TimerKey, TimePoint>& all() const { return deadlines_; }

 private:
  std::map<TimerKey, TimePoint> deadlines_;
  std::set<std::pair<TimePoint, TimerKey>> queue_;  // the same, by deadline
};

// The kinds that a row of each table may hold.
[[nodiscard]] std::span<const TimerKind> backup_timers();
[[nodiscard]] std::span<const TimerKind> upload_timers();
[[nodiscard]] std::span<const TimerKind> attempt_timers();
[[nodiscard]] std::span<const TimerKind> node_timers();
[[nodiscard]] std::span<const TimerKind> tombstone_timers();

inline constexpr Duration kStoreTimersEvery = std::chrono::minutes(1);
inline constexpr Duration kStoreKeepTimersEvery = std::chrono::hours(1);

// Days long: what remains of it is stored anew every kStoreKeepTimersEvery, of others every
// kStoreTimersEvery.
[[nodiscard]] bool is_keep_timer(TimerKind kind);

[[nodiscard]] Duration auto_seal_length(const ControllerSettings& settings, BackupSource source);
[[nodiscard]] Duration seal_timeout_length(const ControllerSettings& settings, SealMode seal);

// What a timer has left after a restart: max(remaining, min(2 min, whole)).
[[nodiscard]] Duration remaining_after_restart(Duration remaining, Duration whole);

}  // namespace plimsoll
