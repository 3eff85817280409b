// clock.hpp - the only place that asks the system what time it is.
#pragma once

#include <cstdint>
#include <optional>

#include "schemas/time.hpp"

namespace plimsoll {

// CLOCK_BOOTTIME in nanoseconds: monotonic, runs on while the machine is suspended.
std::uint64_t boottime_ns();
// CLOCK_MONOTONIC in microseconds, for protocols that ask for it.
std::uint64_t monotonic_us();

// Time without pauses. Between two calls at most kLongestStep passes, however long the process was
// stopped, suspended or starved: after a pause nobody else is to be judged by our own absence.
// Pure.
class PauseFreeTime {
 public:
  static constexpr Duration kLongestStep = std::chrono::seconds(2);  // contract: "Clocks"

  // `raw_ns` is boottime_ns(); a value that goes back counts as no time at all.
  TimePoint advance(std::uint64_t raw_ns);

  // How much time was left out so far.
  Duration skipped() const { return skipped_; }

 private:
  std::optional<std::uint64_t> last_raw_ns_;
  TimePoint now_{};
  Duration skipped_{0};
};

// One per process, owned by wiring, used by the loop thread only.
class Clock {
 public:
  // Time for deciding. Call once per loop turn and hand the value on.
  TimePoint now();

  // Time for showing; may jump either way, so it never decides anything.
  WallTime wall() const;

  Duration skipped() const { return time_.skipped(); }

 private:
  PauseFreeTime time_;
};

}  // namespace plimsoll
