// retire.hpp - when a segment may be unlinked: design.md, "The agent", and never before. Pure.
#pragma once

#include "agent/core/agent_settings.hpp"
#include "agent/core/attempt.hpp"
#include "agent/core/uplink_session.hpp"

namespace plimsoll {
inline namespace agent {

// Its lock is free and: its result was acknowledged; or Lost was, keep_finished after its end; or
// keep_finished after its end without a controller; or keep_unacknowledged after its end. Never
// while the hold after a change of store lasts.
[[nodiscard]] bool may_unlink(const Attempt& attempt, const AgentSettings& settings,
                              const UplinkSession& link, TimePoint now);

}  // namespace agent
}  // namespace plimsoll
