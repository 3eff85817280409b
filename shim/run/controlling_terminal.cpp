// controlling_terminal.cpp - see controlling_terminal.hpp.
#include "shim/run/controlling_terminal.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace plimsoll {

ControllingTerminal::ControllingTerminal() : fd_(open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)) {}

ControllingTerminal::~ControllingTerminal() {
  if (fd_ >= 0) close(fd_);
}

bool ControllingTerminal::is_foreground(pid_t group) const {
  return fd_ >= 0 && tcgetpgrp(fd_) == group;
}

void ControllingTerminal::give_to(pid_t group) const {
  if (fd_ >= 0) (void)tcsetpgrp(fd_, group);  // a terminal that hung up has nobody to give to
}

}  // namespace plimsoll
