// sim_mover.hpp - what a mover may do next in a simulated world.
#pragma once

#include "tests/simulation/context.hpp"

namespace plimsoll::sim {

// One random act of a mover: progress, storing, its last word, its death. No-op once it is dead.
void act(Context& world, Mover& mover);

}  // namespace plimsoll::sim
