// attempt_table.hpp - all attempts of this node, bounded. Live ones come first, the oldest ended
// give way, and only in the directory (or of the user) whose bound was hit. Pure.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/agent_settings.hpp"
#include "agent/core/attempt.hpp"

namespace plimsoll {
inline namespace agent {

// Attempts with equal keys are tries at, or parts of, one upload.
struct UploadKey {
  std::string domain;
  std::string backup;
  std::string backup_uid;
  std::string item;
  std::string snapshot_id;
  std::string volume_id;
  SegmentId alone;  // of an attempt that says nothing of the above: it is an upload of its own

  auto operator<=>(const UploadKey&) const = default;
};

[[nodiscard]] UploadKey upload_key(const Attempt& attempt);

enum class LimitHit : std::uint8_t { none, per_directory, per_uid, total };
[[nodiscard]] std::string_view word(LimitHit limit);

class AttemptTable {
 public:
  struct Admission {
    bool admitted = false;
    LimitHit limit = LimitHit::none;  // the bound that was hit, also when somebody gave way
    std::vector<SegmentId> gave_way;  // removed from the table to make room
  };

  // A segment that is here already is not admitted (limit none). The reference stays valid until
  // removal.
  Admission admit(Attempt attempt, const AttemptLimits& limits);
  void remove(const SegmentId& segment);

  [[nodiscard]] Attempt* find(const SegmentId& segment);
  [[nodiscard]] const Attempt* find(const SegmentId& segment) const;
  [[nodiscard]] std::size_t size() const { return attempts_.size(); }

  // In the order of ids: the same on every machine.
  [[nodiscard]] std::map<SegmentId, Attempt>& all() { return attempts_; }
  [[nodiscard]] const std::map<SegmentId, Attempt>& all() const { return attempts_; }
  [[nodiscard]] const std::map<UploadKey, std::set<SegmentId>>& uploads() const { return uploads_; }

  // Says that something of it may look different now. Call it after every change of its lock or
  // state.
  void touch(Attempt& attempt);
  [[nodiscard]] std::uint64_t revision() const { return revision_; }

 private:
  // Oldest end first; by start, then id where the end is the same (all found at once).
  struct End {
    TimePoint at{};
    std::uint64_t start_boottime_ns = 0;
    SegmentId segment;
    auto operator<=>(const End&) const = default;
  };
  struct Scope {  // of a bound: all of one user, or all of one directory
    bool by_uid = false;
    std::uint32_t number = 0;
    auto operator<=>(const Scope&) const = default;
  };

  [[nodiscard]] static Scope scope_of(const Attempt& attempt, LimitHit limit);
  [[nodiscard]] static std::optional<End> end_of(const Attempt& attempt);
  [[nodiscard]] LimitHit limit_hit(const Attempt& attempt, const AttemptLimits& limits) const;
  [[nodiscard]] std::optional<SegmentId> first_to_give_way(const Attempt& newcomer,
                                                           LimitHit limit) const;
  void index_end(Attempt& attempt, std::optional<TimePoint> end);

  std::map<SegmentId, Attempt> attempts_;
  std::map<Scope, std::set<End>> ended_;  // whose lock is free: those that may give way
  std::map<UploadKey, std::set<SegmentId>> uploads_;
  std::map<std::uint32_t, std::uint32_t> per_directory_;
  std::map<std::uint32_t, std::uint32_t> per_uid_;
  std::uint64_t revision_ = 0;
};

}  // namespace agent
}  // namespace plimsoll
