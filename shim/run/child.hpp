// child.hpp - starts the tool: own process group, the terminal if it is ours to give, pipes where
// we read.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "shim/run/controlling_terminal.hpp"
#include "shim/run/signal_inbox.hpp"
#include "shim/run/tool_parser.hpp"

namespace plimsoll {

struct SpawnPlan {
  std::vector<std::string> argv;
  std::vector<std::string> environment;  // NAME=VALUE, each set only where NAME is not set yet
  bool read_out = false;                 // a pipe for stdout, else the tool gets ours untouched
  bool read_err = false;
};

struct Child {
  pid_t pid = -1;   // also the number of its process group
  int out_fd = -1;  // read ends, non-blocking, close-on-exec; -1 = not read
  int err_fd = -1;
};

// errno of the step that failed; 0 = the tool runs.
struct SpawnOutcome {
  Child child;
  int error = 0;
};

// When stdout and stderr are one file and both are to be read, the tool gets one pipe for both
// (out_fd), so that their order is kept.
[[nodiscard]] SpawnOutcome spawn(const SpawnPlan& plan, const ControllingTerminal& terminal,
                                 const SignalInbox& inbox);

// What a shell answers for a command it could not start: 127 not found, 126 otherwise.
[[nodiscard]] int shell_status(int spawn_error);

enum class ChildChange : std::uint8_t { none, stopped, ended };

struct ChildNews {
  ChildChange change = ChildChange::none;
  int stop_signal = 0;
  ExitStatus exit;
};

// What has happened to the child since the last call; never blocks. `ended` reaps it.
[[nodiscard]] ChildNews look_at(pid_t child);

// Descriptors 0 to 2 that are closed would be handed out again by open and pipe, and then copied
// into the tool: keeps them taken (close-on-exec, so that the tool finds them closed as we did).
// Call first.
void keep_closed_descriptors_closed();

}  // namespace plimsoll
