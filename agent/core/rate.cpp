// rate.cpp - weights by the time that passed, so that uneven samples count fairly.
#include "agent/core/rate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace plimsoll {
inline namespace agent {
namespace {

double seconds_of(Duration span) {
  return std::chrono::duration<double>(span).count();
}

// What is left of an old value after `span`.
double remaining(Duration span) {
  return std::exp(-seconds_of(span) / seconds_of(kRateWindow));
}

}  // namespace

void Rate::observe(std::int64_t completed, TimePoint at) {
  if (!last_) {
    last_ = Point{completed, at};
    return;
  }
  if (completed <= last_->completed || at <= last_->at) return;
  const auto span = at - last_->at;
  const double grown = static_cast<double>(completed) - static_cast<double>(last_->completed);
  const double now_per_second = grown / seconds_of(span);
  const double kept = remaining(span);
  per_second_ = per_second_ < 0 ? now_per_second : kept * per_second_ + (1 - kept) * now_per_second;
  last_ = Point{completed, at};
}

double Rate::value(TimePoint now) const {
  if (per_second_ < 0) return -1;
  const auto resting = now - last_->at - kRateRest;
  return resting <= Duration::zero() ? per_second_ : per_second_ * remaining(resting);
}

}  // namespace agent
}  // namespace plimsoll
