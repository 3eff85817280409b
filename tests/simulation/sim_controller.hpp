// sim_controller.hpp - the controller process in a simulated world: the shipped core, a disk,
// lanes, and clients.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "controller/core/controller_step.hpp"
#include "tests/simulation/context.hpp"

namespace plimsoll::sim {

class SimController {
 public:
  using Answered = std::function<void(const ApiResult&)>;

  explicit SimController(Context& world) : world_(world) {}

  void start();
  void crash();
  void pause(Duration d) { paused_until_ = world_.now + d; }
  void turn();
  [[nodiscard]] bool alive() const { return state_.has_value(); }
  [[nodiscard]] bool paused() const { return world_.now < paused_until_; }

  // An agent dials: a new wire, or nobody listens.
  [[nodiscard]] std::optional<std::uint64_t> accept(std::size_t node);
  // `answered` is never called if the controller dies first.
  void request(ApiCall call, Answered answered);

 private:
  struct PendingCommit {
    CommitTicket ticket{};
    std::vector<StoreWrite> writes;
    TimePoint due;
  };

  void feed(Event event);
  void receive(Wire& wire);
  void finish_commit();
  void write_down(const std::vector<StoreWrite>& writes);
  void note_bindings();
  [[nodiscard]] Wire* wire_of(ConnectionId id);

  void perform(const Send& effect);
  void perform(const CloseLink& effect);
  void perform(const Commit& effect);
  void perform(const Reply& effect);
  void perform(const Changed&) {}
  void perform(const Note& effect) { world_.note("controller: " + effect.text); }

  Context& world_;
  std::optional<ControllerState> state_;
  std::deque<Event> queue_;
  bool draining_ = false;
  std::optional<PendingCommit> commit_;
  std::vector<StoreWrite> unwritten_;  // of the mutant ack-before-commit
  TimePoint write_at_{};
  std::vector<StoreWrite> late_;                         // of the mutant writes-out-of-order
  std::map<ConnectionId, std::vector<Batch>> received_;  // not yet acknowledged
  std::map<std::uint64_t, Answered> waiting_;
  std::uint64_t next_connection_ = 1;
  std::uint64_t next_request_ = 1;
  TimePoint next_tick_{};
  TimePoint paused_until_{};
};

}  // namespace plimsoll::sim
