// rng.hpp - the one source of chance in a simulated run: the same seed gives the same run on every
// machine.
#pragma once

#include <cstdint>

namespace plimsoll::sim {

class Rng {  // splitmix64
 public:
  explicit Rng(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
  }
  // 0 … bound-1; bound > 0.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace plimsoll::sim
