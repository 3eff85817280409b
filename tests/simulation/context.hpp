// context.hpp - what all parts of a simulated world share: time, chance, disk, movers, wires, laws.
#pragma once

#include <cstdint>
#include <cstdio>
#include <list>
#include <string>
#include <vector>

#include "tests/simulation/disk.hpp"
#include "tests/simulation/laws.hpp"
#include "tests/simulation/mutant.hpp"
#include "tests/simulation/rng.hpp"
#include "tests/simulation/truth.hpp"
#include "tests/simulation/wire.hpp"

namespace plimsoll::sim {

struct Context {
  explicit Context(std::uint64_t seed) : rng(seed), disk(StoreId{seed, 1}) {}

  Rng rng;
  Mutant mutant = Mutant::none;
  bool tell = false;   // print every action
  bool faults = true;  // false in the quiet time at the end
  TimePoint now{std::chrono::hours(1)};
  Disk disk;
  std::vector<BackupTruth> backups;
  std::vector<Mover> movers;
  std::list<Wire> wires;
  Laws laws;
  std::uint64_t trace = 0xcbf29ce484222325ULL;  // FNV-1a over everything told
  std::uint64_t steps = 0;

  [[nodiscard]] WallTime wall() const {
    constexpr std::int64_t kBegin = 1764608460000;  // any day will do
    return WallTime(milliseconds(
        kBegin + std::chrono::duration_cast<milliseconds>(now.time_since_epoch()).count()));
  }

  void note(const std::string& text) {
    for (const char c : text)
      trace = (trace ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    if (!tell) return;
    const auto ms = std::chrono::duration_cast<milliseconds>(now.time_since_epoch()).count();
    std::printf("%8lld.%03lld %s\n", static_cast<long long>(ms / 1000),
                static_cast<long long>(ms % 1000), text.c_str());
  }
};

}  // namespace plimsoll::sim
