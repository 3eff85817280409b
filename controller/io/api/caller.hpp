// caller.hpp - who calls, and whether that user may change things. Pure.
#pragma once

#include <sys/types.h>

#include <vector>

#include "controller/core/api_calls.hpp"
#include "runtime/socket/peer_credentials.hpp"

namespace plimsoll {

// socket.admins, resolved; uid 0 and the daemon's own uid are always among them.
struct ApiAdmins {
  uid_t own_uid = 0;
  std::vector<uid_t> uids;
  std::vector<gid_t> gids;
};

[[nodiscard]] Caller caller_of(const PeerCredentials& peer, const ApiAdmins& admins);

}  // namespace plimsoll
