// desired.hpp - what movers are wanted to do. Level-triggered and made from the committed rows
// alone, so that no restart of anything can lose a cancel.
#pragma once

#include <vector>

#include "controller/core/controller_state.hpp"
#include "schemas/uplink_messages.hpp"

namespace plimsoll {

inline constexpr std::size_t kMaxDesiredEntries = 3000;  // of one frame: well within 240 KiB

[[nodiscard]] DesiredAction desired_action(const Model& committed, const SegmentId& segment);

// The whole set at the begin of a session.
void send_desired_set(Turn& turn, ConnectionId connection);
// What a commit changed.
void send_desired_changes(Turn& turn, const std::vector<StoreWrite>& writes);
// A segment of a deleted backup reported itself: `cancel` while it runs, `forget` once it is over.
void send_tombstone_action(Turn& turn, ConnectionId connection, DesiredEntry entry);

}  // namespace plimsoll
