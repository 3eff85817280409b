// sim_agent.hpp - an agent process in a simulated world: the shipped core, with movers for files and lanes for sockets.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "agent/core/agent_step.hpp"
#include "tests/simulation/context.hpp"
#include "tests/simulation/sim_controller.hpp"

namespace plimsoll::sim {

class SimAgent {
 public:
  SimAgent(Context& world, SimController& controller, std::size_t node);

  void start();
  void crash();
  void reboot();           // the node: every mover of it dies, its tmpfs is empty
  void pause(Duration d);  // SIGSTOP
  void turn();             // one loop turn, if it is alive and not paused
  [[nodiscard]] bool alive() const { return state_.has_value(); }
  [[nodiscard]] bool synced() const;

 private:
  void feed(agent::Event event);
  void drain();
  void receive();
  void sweep();
  void look(Mover& mover);
  [[nodiscard]] agent::Reading read(Mover& mover, bool lock_held);
  [[nodiscard]] agent::Moment moment() const;
  [[nodiscard]] Wire* wire();
  [[nodiscard]] Mover* mover_of(const SegmentId& segment);

  void perform(const agent::Dial&);
  void perform(const agent::Send& effect);
  void perform(const agent::CloseLink&);
  void perform(const agent::WriteCancel& effect);
  void perform(const agent::ReadNow& effect);
  void perform(const agent::Unlink& effect);
  void perform(const agent::Drop& effect) { seen_.erase(effect.segment); }
  void perform(const agent::Note& effect);

  Context& world_;
  SimController& controller_;
  std::size_t node_;
  std::uint64_t boots_ = 1;
  std::uint64_t lives_ = 0;
  std::optional<agent::AgentState> state_;
  std::deque<agent::Event> queue_;
  std::map<SegmentId, std::uint64_t> seen_;  // by this process: newest sequence taken
  std::optional<controller::ConnectionId> connection_;
  TimePoint next_sweep_{};
  TimePoint paused_until_{};
};

}  // namespace plimsoll::sim
