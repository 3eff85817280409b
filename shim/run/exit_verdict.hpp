// exit_verdict.hpp - what the end of a process says by itself, before any tool's own words. Pure.
#pragma once

#include <string>

#include "shim/run/tool_parser.hpp"

namespace plimsoll {

// "killed by signal 9 (SIGKILL)" or "exit status 1".
[[nodiscard]] std::string exit_text(ExitStatus exit);

// durable on status 0; canceled on 130, on death by SIGINT, or on any bad end after a request to
// stop; failed otherwise. `tool` and `reason` (the tool's last words, may be "") go into err.
[[nodiscard]] Terminal judge_exit(ExitStatus exit, bool asked_to_stop, const std::string& tool,
                                  const std::string& reason);

// The same for the cases that no tool changes: true if `exit` is a cancellation.
[[nodiscard]] bool is_canceled(ExitStatus exit, bool asked_to_stop);

}  // namespace plimsoll
