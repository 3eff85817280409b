// sim_clients.hpp - people and schedulers in a simulated world: they create, add, start movers,
// seal, cancel, delete.
#pragma once

#include "tests/simulation/context.hpp"
#include "tests/simulation/sim_controller.hpp"

namespace plimsoll::sim {

class SimClients {
 public:
  SimClients(Context& world, SimController& controller, std::size_t nodes)
      : world_(world), controller_(controller), nodes_(nodes) {}

  void act();         // one random call, or a new mover
  void learn_uids();  // an answer was lost: look the name up again
  void finish();      // the quiet time: seal what is open, end stubborn movers

 private:
  void create_backup();
  void add_item(std::size_t backup);
  void seal(std::size_t backup);
  void remove(std::size_t backup);
  [[nodiscard]] bool has_fresh_nameless_mover(std::size_t backup) const;
  void cancel(std::size_t backup);
  void start_mover(std::size_t backup);
  [[nodiscard]] std::string new_name();

  Context& world_;
  SimController& controller_;
  std::size_t nodes_;
  std::uint64_t segments_ = 0;
};

}  // namespace plimsoll::sim
