// clock.cpp - reads the clocks.
#include "runtime/clock.hpp"

#include <ctime>

#include <algorithm>

namespace plimsoll {

namespace {

std::uint64_t read_ns(clockid_t clock) {
  timespec time{};
  (void)clock_gettime(clock, &time);  // cannot fail for clocks that Linux always has
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

std::uint64_t boottime_ns() {
  return read_ns(CLOCK_BOOTTIME);
}
std::uint64_t monotonic_us() {
  return read_ns(CLOCK_MONOTONIC) / 1000;
}

TimePoint PauseFreeTime::advance(std::uint64_t raw_ns) {
  if (!last_raw_ns_) {
    last_raw_ns_ = raw_ns;
    now_ = TimePoint(Duration(static_cast<Duration::rep>(raw_ns)));
    return now_;
  }
  if (raw_ns <= *last_raw_ns_) return now_;
  const auto gap = Duration(static_cast<Duration::rep>(raw_ns - *last_raw_ns_));
  const auto step = std::min(gap, kLongestStep);
  last_raw_ns_ = raw_ns;
  skipped_ += gap - step;
  now_ += step;
  return now_;
}

TimePoint Clock::now() {
  return time_.advance(boottime_ns());
}

WallTime Clock::wall() const {
  return std::chrono::floor<milliseconds>(std::chrono::system_clock::now());
}

}  // namespace plimsoll
