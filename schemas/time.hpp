// time.hpp - the two kinds of time, as types. Pure code takes them as arguments and never asks a
// clock.
#pragma once

#include <chrono>

namespace plimsoll {

// Time for deciding: monotonic, counts suspend, no pauses longer than 2 s (runtime/clock.hpp reads
// it).
struct CoreClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<CoreClock>;
  static constexpr bool is_steady = true;
};

using TimePoint = CoreClock::time_point;
using Duration = CoreClock::duration;

// Time for showing: Unix time in milliseconds. Never decides anything.
using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;

using std::chrono::milliseconds;
using std::chrono::seconds;

}  // namespace plimsoll
