// desired_set.cpp - full sets and changes, possibly in several frames.
#include "agent/core/desired_set.hpp"

#include <utility>

namespace plimsoll {
inline namespace agent {

bool DesiredSet::take(const Desired& frame) {
  if (frame.reset) {
    coming_.clear();
    coming_resets_ = true;
  }
  if (coming_.size() + frame.entries.size() > kMaxEntries) return false;
  coming_.insert(coming_.end(), frame.entries.begin(), frame.entries.end());
  if (!frame.last) return true;
  const auto coming = std::exchange(coming_, {});
  if (std::exchange(coming_resets_, false)) entries_.clear();
  for (const auto& entry : coming) {
    if (entry.action == DesiredAction::run)
      entries_.erase(entry.segment);
    else
      entries_[entry.segment] = entry.action;
  }
  changed_ = true;
  return entries_.size() <= kMaxEntries;
}

void DesiredSet::drop_unfinished() {
  coming_.clear();
  coming_resets_ = false;
}

DesiredAction DesiredSet::of(const SegmentId& segment) const {
  const auto found = entries_.find(segment);
  return found == entries_.end() ? DesiredAction::run : found->second;
}

bool DesiredSet::take_changed() {
  return std::exchange(changed_, false);
}

}  // namespace agent
}  // namespace plimsoll
