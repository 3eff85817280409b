// caller.cpp - the rule of socket.admins.
#include "controller/io/api/caller.hpp"

#include <algorithm>

namespace plimsoll {

Caller caller_of(const PeerCredentials& peer, const ApiAdmins& admins) {
  Caller caller;
  caller.uid = peer.uid;
  if (!peer.known()) return caller;  // no Unix socket: may read only
  const auto& uids = admins.uids;
  caller.is_admin = peer.uid == 0 || peer.uid == admins.own_uid ||
                    std::find(uids.begin(), uids.end(), peer.uid) != uids.end() ||
                    std::any_of(admins.gids.begin(), admins.gids.end(),
                                [&peer](gid_t gid) { return peer.in_group(gid); });
  return caller;
}

}  // namespace plimsoll
