// sim_controller.hpp - the controller process in a simulated world: the shipped core, a disk, lanes, and clients.
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
  using Answered = std::function<void(const controller::ApiResult&)>;

  explicit SimController(Context& world) : world_(world) {}

  void start();
  void crash();
  void pause(Duration d) { paused_until_ = world_.now + d; }
  void turn();
  [[nodiscard]] bool alive() const { return state_.has_value(); }
  [[nodiscard]] bool paused() const { return world_.now < paused_until_; }

  // An agent dials: a new wire, or nobody listens.
  [[nodiscard]] std::optional<controller::ConnectionId> accept(std::size_t node);
  // `answered` is never called if the controller dies first.
  void request(controller::ApiCall call, Answered answered);

 private:
  struct PendingCommit {
    controller::CommitTicket ticket{};
    std::vector<controller::StoreWrite> writes;
    TimePoint due;
  };

  void feed(controller::Event event);
  void receive(Wire& wire);
  void finish_commit();
  void write_down(const std::vector<controller::StoreWrite>& writes);
  void note_bindings();
  [[nodiscard]] Wire* wire_of(controller::ConnectionId id);

  void perform(const controller::Send& effect);
  void perform(const controller::CloseLink& effect);
  void perform(const controller::Commit& effect);
  void perform(const controller::Reply& effect);
  void perform(const controller::Changed&) {}
  void perform(const controller::Note& effect) { world_.note("controller: " + effect.text); }

  Context& world_;
  std::optional<controller::ControllerState> state_;
  std::deque<controller::Event> queue_;
  bool draining_ = false;
  std::optional<PendingCommit> commit_;
  std::vector<controller::StoreWrite> unwritten_;  // of the mutant ack-before-commit
  TimePoint write_at_{};
  std::vector<controller::StoreWrite> late_;  // of the mutant writes-out-of-order
  std::map<controller::ConnectionId, std::vector<Batch>> received_;  // not yet acknowledged
  std::map<std::uint64_t, Answered> waiting_;
  std::uint64_t next_connection_ = 1;
  std::uint64_t next_request_ = 1;
  TimePoint next_tick_{};
  TimePoint paused_until_{};
};

}  // namespace plimsoll::sim
