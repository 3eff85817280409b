// sim_agent.hpp - an agent process in a simulated world: the shipped core, with movers for files
// and lanes for sockets. The core is behind a pointer: agent and controller cores have events of
// the same names, and no file sees both.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "tests/simulation/context.hpp"

namespace plimsoll::sim {

class AgentProcess;  // sim_agent.cpp

class SimAgent {
 public:
  // `dial`: a new wire's id, or nobody listens.
  using Dial = std::function<std::optional<std::uint64_t>(std::size_t node)>;

  SimAgent(Context& world, std::size_t node, Dial dial);
  ~SimAgent();
  SimAgent(const SimAgent&) = delete;
  SimAgent& operator=(const SimAgent&) = delete;

  void start();
  void crash();
  void reboot();           // the node: every mover of it dies, its tmpfs is empty
  void pause(Duration d);  // SIGSTOP
  void turn();             // one loop turn, if it is alive and not paused
  [[nodiscard]] bool alive() const;
  [[nodiscard]] bool synced() const;

 private:
  std::unique_ptr<AgentProcess> process_;
};

}  // namespace plimsoll::sim
