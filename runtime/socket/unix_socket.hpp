// unix_socket.hpp - listening and connecting by path, with our own checks of length, mode and
// owner.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>

#include "runtime/unique_fd.hpp"
#include "schemas/result.hpp"

namespace plimsoll {

inline constexpr std::size_t kMaxSocketPathBytes = 107;  // sun_path less its NUL

// A listening, non-blocking socket at `path`: bound under a temporary name, given group and mode,
// made to listen, then renamed over, so that nobody ever meets it half made. config: the path is
// longer than 107 bytes (names path and length), or something that is no socket, or another user's
// socket, is there. address_in_use: somebody answers there. A stale socket is replaced.
Result<UniqueFd> listen_unix(const std::string& path, mode_t mode,
                             std::optional<gid_t> group = std::nullopt);

// A connected, non-blocking socket. unreachable: nobody listens there (names the path); permission;
// busy: its backlog is full.
Result<UniqueFd> connect_unix_fd(const std::string& path);

// Removes the socket at `path` at the end of a daemon that still holds its lock; ignores failure.
void unlink_socket(const std::string& path);

}  // namespace plimsoll
