// attempts.hpp - an attempt's row: what a report changes in it, and what time does.
#pragma once

#include <string>

#include "controller/core/controller_state.hpp"
#include "schemas/uplink_messages.hpp"

namespace plimsoll {

// The row of a segment never seen before, without an upload: nothing of the report's numbers is in
// it yet.
[[nodiscard]] AttemptRecord new_attempt(const Turn& turn, const NodeRecord& node,
                                        const Report& report);

// The number of a new attempt at `part`: the mover's own if it is free, else the highest so far
// + 1.
[[nodiscard]] std::uint32_t ordinal_for(const Model& rows, std::string_view upload_id,
                                        const Identity& identity);

// Takes a report of the newest session into the row; an ended attempt is latched and does not
// change. Idempotent, and numbers of an older sequence are left out.
void apply_report(Turn& turn, AttemptRecord& attempt, const Report& report);

// The mover is gone, or not heard of: Lost, and lostAfter begins. Nothing if it was over.
void lose_attempt(Turn& turn, AttemptRecord& attempt, LostCause cause, std::string reason);

// After an attempt changed: its upload, or its time as an orphan, follows.
void settle_attempt(Turn& turn, const AttemptRecord& attempt);

// retryWithin or lostAfter has passed.
void give_up_attempt(Turn& turn, AttemptRecord& attempt);

// No word from an agent for retrievalGrace: its attempts that are not over are Lost.
void lose_node(Turn& turn, const std::string& node);

}  // namespace plimsoll
