// backoff.cpp - the generator and the ceiling.
#include "agent/core/backoff.hpp"

#include <algorithm>

namespace plimsoll {
inline namespace agent {

std::uint64_t Random::next() {
  state_ += 0x9E3779B97F4A7C15ULL;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBULL;
  return mixed ^ (mixed >> 31U);
}

Duration backoff_delay(std::uint32_t failures, Random& random) {
  const auto doublings = std::min<std::uint32_t>(failures, 5);  // 200 ms · 2^5 is past the maximum
  const auto ceiling = std::min<Duration>(kBackoffMin * (1U << doublings), kBackoffMax);
  const auto room = static_cast<std::uint64_t>((ceiling - kBackoffMin).count());
  return kBackoffMin + Duration(static_cast<Duration::rep>(random.next() % (room + 1)));
}

}  // namespace agent
}  // namespace plimsoll
