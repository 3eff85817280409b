// service.hpp - what a daemon says to systemd and gets from it. Without systemd all of it does
// nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/unique_fd.hpp"
#include "schemas/result.hpp"
#include "schemas/time.hpp"

namespace plimsoll {

// READY=1 and STATUS=…; also ends a reload begun with notify_reloading().
void notify_ready(const std::string& status);
void notify_reloading();
void notify_stopping();
// One line for `systemctl status`; control characters are escaped.
void notify_status(const std::string& status);
// WATCHDOG=1; call it at watchdog_interval().
void notify_watchdog();

// Half of the unit's WatchdogSec, or nothing if there is none for this process.
std::optional<milliseconds> watchdog_interval();

struct PassedSocket {
  std::string name;  // FileDescriptorName= of the socket unit
  UniqueFd fd;       // non-blocking, close-on-exec
};
// Listening sockets of a socket unit, taken once (the environment is cleared, so children do not
// see it). ErrorCode::config when something else was passed.
Result<std::vector<PassedSocket>> take_passed_sockets();

}  // namespace plimsoll
