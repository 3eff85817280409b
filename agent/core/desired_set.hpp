// desired_set.hpp - what the controller wants of segments: level-triggered, the whole set at each
// session. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "schemas/ids.hpp"
#include "schemas/uplink_messages.hpp"

namespace plimsoll {
inline namespace agent {

class DesiredSet {
 public:
  static constexpr std::size_t kMaxEntries = 100'000;

  // False: more than kMaxEntries, a protocol error. The set changes only when the frame marked
  // `last` has come.
  [[nodiscard]] bool take(const Desired& frame);
  // The connection ended: a set that was half sent is void, what was wanted before stays wanted.
  void drop_unfinished();

  [[nodiscard]] DesiredAction of(const SegmentId& segment) const;  // not listed = run
  [[nodiscard]] const std::map<SegmentId, DesiredAction>& entries() const { return entries_; }
  // True once after each change.
  [[nodiscard]] bool take_changed();

 private:
  std::map<SegmentId, DesiredAction> entries_;
  std::vector<DesiredEntry> coming_;
  bool coming_resets_ = false;
  bool changed_ = false;
};

}  // namespace agent
}  // namespace plimsoll
