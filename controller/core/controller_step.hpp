// controller_step.hpp - the whole controller without I/O: events in, new state and effects out.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "controller/core/controller_state.hpp"
#include "controller/core/events.hpp"

namespace plimsoll {

// Applies one event. Effects are to be performed in their order. `now` never goes back.
[[nodiscard]] std::vector<Effect> step(ControllerState& state, const Event& event, TimePoint now);

// When a Tick is next worth sending; nothing if no timer runs and nothing waits for a commit.
[[nodiscard]] std::optional<TimePoint> next_deadline(const ControllerState& state);

struct RestoreTime {
  TimePoint now;
  WallTime wall;
};

// The state after a start: what the store holds, every timer with max(remaining, min(2 min, its
// whole length)). A snapshot run of the controller itself that was cut off becomes Failed with the
// first commit. `seed` makes UIDs.
[[nodiscard]] ControllerState restore(LoadedStore loaded, const ControllerSettings& settings,
                                      RestoreTime time, std::uint64_t seed);

// Whether the store takes commits (readyz).
[[nodiscard]] bool store_is_available(const ControllerState& state);

}  // namespace plimsoll
