// expire.hpp - what happens when a timer's time has come. Nothing ever becomes Completed by that.
#pragma once

#include "controller/core/controller_state.hpp"

namespace plimsoll {

void expire_timers(Turn& turn);

// Stores anew what remains of the timers: the short ones every minute, the long ones every hour.
void store_remaining_times(Turn& turn);

}  // namespace plimsoll
