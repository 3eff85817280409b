// peer_credentials.cpp - SO_PEERCRED and SO_PEERGROUPS.
#include "runtime/socket/peer_credentials.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "runtime/errno_error.hpp"

namespace plimsoll {
namespace {

constexpr std::size_t kFirstGuess = 64;

bool is_unix_socket(int fd) {
  int domain = 0;
  socklen_t size = sizeof domain;
  return ::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX;
}

Result<std::vector<gid_t>> groups_of(int fd) {
  std::vector<gid_t> groups(kFirstGuess);
  auto bytes = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
  int rc = ::getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &bytes);
  if (rc != 0 && errno == ERANGE) {  // the kernel has told the size it needs
    groups.resize(bytes / sizeof(gid_t));
    rc = ::getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &bytes);
  }
  if (rc != 0) return errno_failure("ask for the peer's groups", errno);
  groups.resize(bytes / sizeof(gid_t));
  return groups;
}

}  // namespace

bool PeerCredentials::in_group(gid_t group) const {
  return known() &&
         (gid == group || std::find(groups.begin(), groups.end(), group) != groups.end());
}

Result<PeerCredentials> peer_credentials(int fd) {
  PeerCredentials peer;
  if (!is_unix_socket(fd)) return peer;
  ::ucred credentials{};
  socklen_t size = sizeof credentials;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0)
    return errno_failure("ask for the peer's credentials", errno);
  auto groups = groups_of(fd);
  if (!groups) return fail(std::move(groups.error()));
  peer.uid = credentials.uid;
  peer.gid = credentials.gid;
  peer.pid = credentials.pid;
  peer.groups = std::move(*groups);
  return peer;
}

}  // namespace plimsoll
