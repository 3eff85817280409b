// backoff.hpp - full-jitter backoff from a seeded generator that is part of the state. Pure.
#pragma once

#include <cstdint>

#include "schemas/time.hpp"

namespace plimsoll {
inline namespace agent {

// splitmix64: one word of state, the same numbers on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed = 0) : state_(seed) {}
  std::uint64_t next();

 private:
  std::uint64_t state_;
};

inline constexpr Duration kBackoffMin = milliseconds(200);
inline constexpr Duration kBackoffMax = seconds(5);

// Between kBackoffMin and a ceiling that doubles with every failure in a row, kBackoffMax at most.
[[nodiscard]] Duration backoff_delay(std::uint32_t failures, Random& random);

}  // namespace agent
}  // namespace plimsoll
