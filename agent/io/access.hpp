// access.hpp - who may change something over a socket. Whoever can connect may read. Pure.
#pragma once

#include <sys/types.h>

#include <vector>

#include "runtime/socket/peer_credentials.hpp"

namespace plimsoll {

struct AccessRules {
  uid_t daemon_uid = 0;
  std::vector<uid_t> admin_uids;
  std::vector<gid_t> admin_groups;
};

// uid 0, the daemon's own user, and socket.admins. Nobody without credentials.
[[nodiscard]] bool is_admin(const AccessRules& rules, const PeerCredentials& peer);

// An admin, or the owner of every one of `owners`.
[[nodiscard]] bool may_cancel(const AccessRules& rules, const PeerCredentials& peer,
                              const std::vector<uid_t>& owners);

}  // namespace plimsoll
