// sim_mover.cpp - movers: honest, slow, stubborn, dying at the worst moment.
#include "tests/simulation/sim_mover.hpp"

namespace plimsoll::sim {
namespace {

void say_last_word(Mover& mover, Outcome outcome, bool will_retry = false) {
  Terminal terminal;
  terminal.outcome = outcome;
  terminal.completed = mover.sample.completed;
  terminal.total = mover.sample.total;
  terminal.will_retry = will_retry;
  if (outcome == Outcome::failed) terminal.err = "the storage refused";
  if (outcome == Outcome::durable) terminal.stored_as = "s-" + to_hex(mover.segment).substr(0, 8);
  mover.terminal = terminal;
}

void make_progress(Context& world, Mover& mover) {
  auto& sample = mover.sample;
  sample.completed += static_cast<std::int64_t>(world.rng.below(300));
  if (sample.completed > sample.total) sample.completed = sample.total;
  ++mover.seq;
  if (sample.completed < sample.total || !world.rng.one_in(3)) return;
  mover.stored = true;  // the storage confirmed it; nobody knows yet
  world.backups[mover.backup].durable_parts[mover.identity.item].insert(mover.identity.part);
}

bool dies(Context& world) {
  return world.faults && world.rng.one_in(120);
}

}  // namespace

void act(Context& world, Mover& mover) {
  if (!mover.alive) return;
  ++mover.heartbeat;
  if (mover.terminal) {
    mover.alive = !world.rng.one_in(2);
    return;
  }
  if (dies(world)) {
    mover.alive = false;
    world.note("mover " + to_hex(mover.segment).substr(0, 8) + " dies");
    return;
  }
  if (mover.cancel_byte && !mover.stubborn) {
    if (world.rng.one_in(2)) say_last_word(mover, Outcome::canceled);
    return;
  }
  if (world.faults && world.rng.one_in(150)) {
    say_last_word(mover, Outcome::failed, world.rng.one_in(2));
    return;
  }
  if (!mover.stored)
    make_progress(world, mover);
  else if (world.rng.one_in(2))
    say_last_word(mover, Outcome::durable);
}

}  // namespace plimsoll::sim
