// controller_step.cpp - see controller_step.hpp: one event in, what it means decided, effects out.
#include "controller/core/controller_step.hpp"

#include <algorithm>
#include <utility>

#include "controller/core/backups/take_request.hpp"
#include "controller/core/expire.hpp"
#include "controller/core/uplink/uplink_session.hpp"

namespace plimsoll {
namespace {

void tick(Turn& turn) {
  expire_timers(turn);
  store_remaining_times(turn);
  tick_links(turn);
}

struct Dispatch {
  Turn& turn;

  void operator()(const LinkOpened& event) const { open_link(turn, event.connection); }
  void operator()(const LinkClosed& event) const { close_link(turn, event.connection); }
  void operator()(const MessageReceived& event) const {
    turn.state.wall = event.wall;
    receive(turn, event);
  }
  void operator()(const ApiRequest& event) const {
    turn.state.wall = event.wall;
    take_request(turn, event);
  }
  void operator()(const Committed& event) const { on_committed(turn, event); }
  void operator()(const CommitFailed& event) const { on_commit_failed(turn, event); }
  void operator()(const Tick& event) const {
    turn.state.wall = event.wall;
    tick(turn);
  }
};

}  // namespace

std::vector<Effect> step(ControllerState& state, const Event& event, TimePoint now) {
  Turn turn{state, now, {}};
  std::visit(Dispatch{turn}, event);
  begin_commit(turn);
  return std::move(turn.effects);
}

std::optional<TimePoint> next_deadline(const ControllerState& state) {
  std::optional<TimePoint> next = state.timers.next();
  const auto take = [&](std::optional<TimePoint> other) {
    if (other && (!next || *other < *next)) next = other;
  };
  take(commit_due(state.queue));
  if (next) take(state.next_timer_store);
  take(links_due(state));
  return next;
}

bool store_is_available(const ControllerState& state) {
  return !state.queue.failing;
}

}  // namespace plimsoll
