// simulate.cpp - runs seeds of the simulation. Prints every seed that breaks a law, and how to
// replay it.
//
//   simulate [--seeds N] [--seed S] [--mutant NAME] [--tell]
//
// --seeds N    N seeds from --seed (default 1) on; exit 1 if any breaks a law
// --tell       print every action (one seed)
// --mutant M   plant a bug; exit 0 only if its law catches it within the seeds
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/simulation/world.hpp"

using namespace plimsoll::sim;

namespace {

struct Arguments {
  std::uint64_t first = 1;
  std::uint64_t seeds = 500;
  const MutantRow* mutant = nullptr;
  bool tell = false;
};

const MutantRow* find_mutant(const char* name) {
  for (const auto& row : kMutants)
    if (row.name == name) return &row;
  std::fprintf(stderr, "simulate: no mutant '%s'; there are:", name);
  for (const auto& row : kMutants)
    std::fprintf(stderr, " %s", std::string(row.name).c_str());
  std::fprintf(stderr, "\n");
  std::exit(2);
}

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  bool counted = false;  // --seeds was given
  bool placed = false;   // --seed was given
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (flag == "--tell") {
      arguments.tell = true;
    } else if (flag == "--seeds" && value != nullptr) {
      arguments.seeds = std::strtoull(argv[++i], nullptr, 10);
      counted = true;
    } else if (flag == "--seed" && value != nullptr) {
      arguments.first = std::strtoull(argv[++i], nullptr, 10);
      placed = true;
    } else if (flag == "--mutant" && value != nullptr) {
      arguments.mutant = find_mutant(argv[++i]);
    } else {
      std::fprintf(stderr, "usage: simulate [--seeds N] [--seed S] [--mutant NAME] [--tell]\n");
      std::exit(2);
    }
  }
  if (placed && !counted) arguments.seeds = 1;
  return arguments;
}

int hunt(const Arguments& arguments) {
  const auto& row = *arguments.mutant;
  for (std::uint64_t i = 0; i < arguments.seeds; ++i) {
    const auto seed = arguments.first + i;
    const auto result = run_world({seed, row.mutant, arguments.tell});
    if (!result.violation) continue;
    std::printf("mutant %s: seed %llu breaks %s: %s\n", std::string(row.name).c_str(),
                static_cast<unsigned long long>(seed), result.violation->law.c_str(),
                result.violation->text.c_str());
    if (result.violation->law == row.law) return 0;
  }
  std::printf("mutant %s was NOT caught by %s\n", std::string(row.name).c_str(),
              std::string(row.law).c_str());
  return 1;
}

int run(const Arguments& arguments) {
  std::uint64_t steps = 0;
  std::uint64_t broken = 0;
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  for (std::uint64_t i = 0; i < arguments.seeds; ++i) {
    const auto seed = arguments.first + i;
    const auto result = run_world({seed, Mutant::none, arguments.tell});
    steps += result.steps;
    completed += result.completed;
    failed += result.failed;
    if (!result.violation) continue;
    ++broken;
    std::printf("seed %llu breaks %s: %s\n  replay: ./dev simulate --seed %llu --tell\n",
                static_cast<unsigned long long>(seed), result.violation->law.c_str(),
                result.violation->text.c_str(), static_cast<unsigned long long>(seed));
  }
  std::printf(
      "%llu seeds from %llu, %llu steps, %llu backups Completed, %llu PartiallyFailed, "
      "%llu seeds broke a law\n",
      static_cast<unsigned long long>(arguments.seeds),
      static_cast<unsigned long long>(arguments.first), static_cast<unsigned long long>(steps),
      static_cast<unsigned long long>(completed), static_cast<unsigned long long>(failed),
      static_cast<unsigned long long>(broken));
  // A world in which nothing ever succeeds would keep every law.
  const bool alive = arguments.seeds < 20 || (completed > 0 && failed > 0);
  return broken == 0 && alive ? 0 : 1;
}

bool replays_exactly(std::uint64_t seed) {
  const auto one = run_world({seed, Mutant::none, false});
  const auto two = run_world({seed, Mutant::none, false});
  return one.trace == two.trace && one.steps == two.steps;
}

}  // namespace

int main(int argc, char** argv) {
  const auto arguments = parse(argc, argv);
  if (arguments.mutant != nullptr) return hunt(arguments);
  if (!replays_exactly(arguments.first)) {
    std::printf("seed %llu does not replay exactly\n",
                static_cast<unsigned long long>(arguments.first));
    return 1;
  }
  return run(arguments);
}
