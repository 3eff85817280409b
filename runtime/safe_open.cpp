// safe_open.cpp - look first (O_PATH), open what was looked at.
#include "runtime/safe_open.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "runtime/errno_error.hpp"
#include "schemas/text.hpp"

namespace plimsoll {
namespace {

constexpr std::uint64_t kResolve =
    RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;

bool is_one_component(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos;
}

// Old kernels lack openat2, seccomp filters may deny it; O_NOFOLLOW and the checks of the caller
// then do the same for a single component.
int open_confined(int directory_fd, const std::string& name, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(static_cast<unsigned>(flags | O_NOFOLLOW | O_CLOEXEC));
  how.resolve = kResolve;
  const long fd = ::syscall(SYS_openat2, directory_fd, name.c_str(), &how, sizeof how);
  if (fd >= 0) return static_cast<int>(fd);
  if (errno != ENOSYS && errno != EPERM) return -1;
  return ::openat(directory_fd, name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC);
}

// The descriptor's own inode again, with `flags`: nobody can swap it in between.
int reopen(int path_fd, int flags) {
  const std::string self = "/proc/self/fd/" + std::to_string(path_fd);
  return ::open(self.c_str(), flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

Result<void> require_regular(int directory_fd, int path_fd, const std::string& operation) {
  const auto found = stat_of(path_fd);
  if (!found) return fail(found.error());
  if (S_ISLNK(found->st_mode)) return fail(ErrorCode::bad_request, operation + ": it is a symlink");
  if (!S_ISREG(found->st_mode))
    return fail(ErrorCode::bad_request, operation + ": it is no regular file");
  const auto directory = stat_of(directory_fd);
  if (!directory) return fail(directory.error());
  if (directory->st_dev != found->st_dev)
    return fail(ErrorCode::bad_request, operation + ": it is on another file system");
  return {};
}

}  // namespace

Result<struct ::stat> stat_of(int fd) {
  struct ::stat status {};
  if (::fstat(fd, &status) != 0)
    return errno_failure("stat descriptor " + std::to_string(fd), errno);
  return status;
}

Result<UniqueFd> open_directory(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return errno_failure("open directory " + quoted(path), errno);
  return fd;
}

Result<UniqueFd> open_directory_below(int directory_fd, std::string_view name) {
  const std::string operation = "open directory " + quoted(name);
  if (!is_one_component(name))
    return fail(ErrorCode::bad_request, operation + ": not a plain name");
  UniqueFd fd(open_confined(directory_fd, std::string(name), O_RDONLY | O_DIRECTORY));
  if (!fd) return errno_failure(operation, errno);
  return fd;
}

Result<UniqueFd> open_below(int directory_fd, std::string_view name, int flags) {
  const std::string operation = "open " + quoted(name);
  if (!is_one_component(name))
    return fail(ErrorCode::bad_request, operation + ": not a plain name");
  const std::string text(name);
  const UniqueFd seen(open_confined(directory_fd, text, O_PATH));
  if (!seen) return errno_failure(operation, errno);
  if (auto regular = require_regular(directory_fd, seen.get(), operation); !regular)
    return fail(std::move(regular.error()));
  UniqueFd fd(reopen(seen.get(), flags));
  if (!fd) return errno_failure(operation, errno);
  return fd;
}

}  // namespace plimsoll
