// take_batch.hpp - reports into rows: known segments are brought up to date, new ones bound,
// refused ones named.
#pragma once

#include "controller/core/controller_state.hpp"
#include "schemas/uplink_messages.hpp"

namespace plimsoll {

// A batch of the connection's own session. Its ack goes out after the commit that holds it.
void take_batch(Turn& turn, ConnectionId connection, const Batch& batch);

}  // namespace plimsoll
