// controller_places.hpp - the directories, the lock and the sockets of the daemon, with owner and
// mode as documented ("Ownership and modes"); each error names the path.
#pragma once

#include "config/config.hpp"
#include "runtime/lock_file.hpp"
#include "runtime/unique_fd.hpp"
#include "schemas/result.hpp"

namespace plimsoll {

// RUN (only its last component, 0755) and STATE (0700) made if missing. config: a parent that
// others may write to; cannot_create; permission.
[[nodiscard]] Result<void> make_places(const ControllerConfig& config);

// STATE/controller.lock. address_in_use names the pid of the holder.
[[nodiscard]] Result<LockFile> lock_state(const ControllerConfig& config);

struct ControllerSockets {
  UniqueFd api;
  UniqueFd uplink;
};
[[nodiscard]] Result<ControllerSockets> listen_all(const ControllerConfig& config);
void unlink_all(const ControllerConfig& config);

}  // namespace plimsoll
