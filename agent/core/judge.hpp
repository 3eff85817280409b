// judge.hpp - from lock, terminal record, cancel byte, count and time to a state with a reason.
// Pure. The order of the rules is the order of design.md, "The agent": a result beats everything,
// then the lock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "agent/core/agent_settings.hpp"
#include "schemas/upload_progress.hpp"
#include "schemas/upload_state.hpp"

namespace plimsoll {
inline namespace agent {

// What is known of one attempt at one moment.
struct Evidence {
  bool lock_held = false;     // asked before the page was read, so "free" means the page is final
  bool cancel_asked = false;  // the byte in the page
  bool readable = true;       // the page verified lately
  bool file_gone = false;     // somebody removed the segment
  bool has_sample = false;
  Activity activity = Activity::unknown;
  Duration count_age{0};               // since the count last changed
  Duration silence{0};                 // since the mover's last call
  const Terminal* terminal = nullptr;  // not owned; null = none
};

struct Verdict {
  AttemptState state = AttemptState::unknown;
  std::string reason;  // ≤ kMaxReasonBytes, without times: it changes only when the cause does
};

[[nodiscard]] Verdict judge(const Evidence& evidence, Duration stall_after);

// The record the agent makes itself when the lock went free after a cancel; nothing in any other
// case.
[[nodiscard]] std::optional<Terminal> terminal_after_cancel(const Evidence& evidence,
                                                            const Sample& last);

// How long the count may rest before the attempt counts as stalled.
[[nodiscard]] Duration stall_limit(Activity activity, Duration stall_after);

}  // namespace agent
}  // namespace plimsoll
