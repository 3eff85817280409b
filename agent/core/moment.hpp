// moment.hpp - the time of one loop turn, as the loop hands it to the core. The core asks no clock.
#pragma once

#include <cstdint>

#include "schemas/time.hpp"

namespace plimsoll {
inline namespace agent {

struct Moment {
  TimePoint now{};                // pause-free; the only one that decides
  WallTime wall{};                // shown to people, never decides
  std::uint64_t boottime_ns = 0;  // raw CLOCK_BOOTTIME; compared with producers' start only
};

}  // namespace agent
}  // namespace plimsoll
