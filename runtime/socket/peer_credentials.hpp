// peer_credentials.hpp - who is at the other end of a Unix socket, from the kernel.
#pragma once

#include <sys/types.h>

#include <vector>

#include "schemas/result.hpp"

namespace plimsoll {

struct PeerCredentials {
  uid_t uid = static_cast<uid_t>(-1);  // -1: not known (no Unix socket)
  gid_t gid = static_cast<gid_t>(-1);
  pid_t pid = 0;              // at connect time, in our pid namespace; for logs only, may be reused
  std::vector<gid_t> groups;  // supplementary

  bool known() const { return uid != static_cast<uid_t>(-1); }
  bool in_group(gid_t group) const;  // primary or supplementary
};

// Of a connected socket. Anything but a Unix socket gives credentials that are not known().
Result<PeerCredentials> peer_credentials(int fd);

}  // namespace plimsoll
