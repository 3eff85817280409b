// agent_step.hpp - the whole agent without I/O: one event, one moment, a new state and what is to
// be done.
#pragma once

#include "agent/core/agent_events.hpp"
#include "agent/core/agent_state.hpp"
#include "agent/core/moment.hpp"

namespace plimsoll {
inline namespace agent {

// No hidden inputs: the same state, event and moment give the same result on every machine. The
// caller queues events, ends every turn that had some with a Tick (and sends one at least every 250
// ms), and performs effects in order. Moments never go back.
[[nodiscard]] Effects step(AgentState& state, const Event& event, const Moment& moment);

// What the agent says first on a new connection.
[[nodiscard]] Hello make_hello(const AgentSettings& settings);

}  // namespace agent
}  // namespace plimsoll
