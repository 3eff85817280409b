// controlling_terminal.hpp - whose turn it is at the terminal, as a shell handles it for its jobs.
// The terminal is /dev/tty, whatever stdin is: a tool asks for a password there. Without one every
// call is a no-op that answers "not in the foreground".
#pragma once

#include <sys/types.h>

namespace plimsoll {

class ControllingTerminal {
 public:
  ControllingTerminal();  // opens /dev/tty, close-on-exec; having none is normal
  ~ControllingTerminal();
  ControllingTerminal(const ControllingTerminal&) = delete;
  ControllingTerminal& operator=(const ControllingTerminal&) = delete;

  [[nodiscard]] bool is_foreground(pid_t group) const;

  // Makes `group` the foreground group. The caller must have SIGTTOU blocked, or it would be
  // stopped. Async-signal-safe: the child calls it between fork and exec.
  void give_to(pid_t group) const;

 private:
  int fd_;
};

}  // namespace plimsoll
