// observe.hpp - a look at a segment made part of what is known of its attempt. Pure.
#pragma once

#include "agent/core/agent_state.hpp"
#include "agent/core/attempt.hpp"
#include "agent/core/moment.hpp"

namespace plimsoll {
inline namespace agent {

[[nodiscard]] Attempt first_look(const SegmentOrigin& origin, const Identity& identity,
                                 const Moment& moment);

// Numbers, result, events, then a new judgement. Numbers count only with a higher seq; a result is
// latched.
void observe(AgentState& state, Attempt& attempt, const Reading& reading, const Moment& moment);

// A judgement from what is known and the time; marks the attempt changed if state or reason are
// new.
void judge_again(AgentState& state, Attempt& attempt, const Moment& moment);

}  // namespace agent
}  // namespace plimsoll
