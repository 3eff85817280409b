// unix_socket.cpp - our own bind and connect; libuv cuts long paths silently.
#include "runtime/socket/unix_socket.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "runtime/errno_error.hpp"
#include "schemas/text.hpp"

namespace plimsoll {
namespace {

constexpr int kBacklog = 128;

Failure too_long(const std::string& operation, const std::string& path) {
  return fail(ErrorCode::config,
              operation + ": the path has " + std::to_string(path.size()) + " bytes, at most " +
                  std::to_string(kMaxSocketPathBytes) + " are possible: " + path,
              "use a shorter directory");
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());  // the caller checked the length
  return address;
}

UniqueFd new_socket() {
  return UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

// 0, or errno.
int try_connect(int fd, const std::string& path) {
  const sockaddr_un address = address_of(path);
  return ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0
                                                                                         : errno;
}

// A name beside `path` that fits: with a long path it is shorter than the real one.
std::string temporary_name(const std::string& path) {
  const auto slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  std::string plain = directory + "." + path.substr(directory.size()) + ".new";
  if (plain.size() <= kMaxSocketPathBytes) return plain;
  std::string brief = directory + "." + path.substr(path.size() - 1);
  return brief != path && brief.size() <= kMaxSocketPathBytes ? brief : "";
}

// May `path` be replaced? Only what is not there, and a socket of ours that nobody serves.
Result<void> check_replaceable(const std::string& operation, const std::string& path) {
  struct ::stat there {};
  if (::lstat(path.c_str(), &there) != 0)
    return errno == ENOENT ? Result<void>() : errno_failure(operation, errno);
  if (!S_ISSOCK(there.st_mode))
    return fail(ErrorCode::config, operation + ": something that is no socket is there",
                "remove it, or use another path");
  if (::geteuid() != 0 && there.st_uid != ::geteuid())
    return fail(ErrorCode::config,
                operation + ": a socket of user " + std::to_string(there.st_uid) + " is there",
                "remove it, or use another path");
  const UniqueFd probe = new_socket();
  if (!probe) return errno_failure(operation, errno);
  const int refused = try_connect(probe.get(), path);
  if (refused == ECONNREFUSED || refused == ENOENT) return {};
  return fail(ErrorCode::address_in_use, operation + ": another process serves there",
              "stop it, or use another directory");
}

struct Place {
  const std::string& operation;
  const std::string& path;
  std::string temporary;
};

// fchmod before bind gives the new inode its mode at once; the umask can only take away, hence
// chmod.
Result<void> bind_at(int fd, const Place& place, mode_t mode, std::optional<gid_t> group) {
  (void)::unlink(place.temporary.c_str());  // left by a start that was killed
  const sockaddr_un address = address_of(place.temporary);
  if (::fchmod(fd, mode) != 0 ||
      ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return errno_failure(place.operation, errno);
  if (group && ::lchown(place.temporary.c_str(), static_cast<uid_t>(-1), *group) != 0)
    return errno_failure(place.operation + ": give it to group " + std::to_string(*group), errno);
  if (::chmod(place.temporary.c_str(), mode) != 0 || ::listen(fd, kBacklog) != 0 ||
      ::rename(place.temporary.c_str(), place.path.c_str()) != 0)
    return errno_failure(place.operation, errno);
  return {};
}

}  // namespace

Result<UniqueFd> listen_unix(const std::string& path, mode_t mode, std::optional<gid_t> group) {
  const std::string operation = "listen at " + quoted(path);
  Place place{operation, path, temporary_name(path)};
  if (path.empty()) return fail(ErrorCode::config, operation + ": no path");
  if (path.size() > kMaxSocketPathBytes || place.temporary.empty())
    return too_long(operation, path);
  if (auto free = check_replaceable(operation, path); !free) return fail(std::move(free.error()));
  UniqueFd fd = new_socket();
  if (!fd) return errno_failure(operation, errno);
  if (auto bound = bind_at(fd.get(), place, mode, group); !bound) {
    (void)::unlink(place.temporary.c_str());
    return fail(std::move(bound.error()));
  }
  return fd;
}

Result<UniqueFd> connect_unix_fd(const std::string& path) {
  const std::string operation = "connect to " + quoted(path);
  if (path.empty() || path.size() > kMaxSocketPathBytes) return too_long(operation, path);
  UniqueFd fd = new_socket();
  if (!fd) return errno_failure(operation, errno);
  const int refused = try_connect(fd.get(), path);
  if (refused == 0) return fd;
  Error error = errno_error(operation, refused);
  if (error.code == ErrorCode::not_found) error.code = ErrorCode::unreachable;
  return fail(std::move(error));
}

void unlink_socket(const std::string& path) {
  (void)::unlink(path.c_str());
}

}  // namespace plimsoll
