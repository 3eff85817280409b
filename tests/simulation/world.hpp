// world.hpp - one simulated run: two nodes, a controller, clients, movers; faults from one seed,
// then quiet.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tests/simulation/context.hpp"
#include "tests/simulation/sim_agent.hpp"
#include "tests/simulation/sim_clients.hpp"
#include "tests/simulation/sim_controller.hpp"

namespace plimsoll::sim {

struct RunResult {
  std::optional<Violation> violation;
  std::uint64_t trace = 0;  // equal for equal seeds
  std::uint64_t steps = 0;  // events the two cores took
  std::uint32_t completed = 0;
  std::uint32_t failed = 0;
};

struct RunOptions {
  std::uint64_t seed = 0;
  Mutant mutant = Mutant::none;
  bool tell = false;
};

[[nodiscard]] RunResult run_world(const RunOptions& options);

}  // namespace plimsoll::sim
