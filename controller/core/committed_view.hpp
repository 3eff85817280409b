// committed_view.hpp - moves what clients see on, one commit at a time, and answers them from it.
#pragma once

#include <string>
#include <vector>

#include "controller/core/controller_state.hpp"

namespace plimsoll {

// The store holds `writes` now: clients may see them, and watch streams are told.
void publish(Turn& turn, const std::vector<StoreWrite>& writes);

// Fills the view at a start, from rows that were loaded.
void publish_loaded(CommittedView& view, const Model& rows);

[[nodiscard]] ApiResult answer_of(const ControllerState& state, const PendingReply& reply,
                                  TimePoint now);
[[nodiscard]] Error store_unavailable(const std::string& cause);

}  // namespace plimsoll
