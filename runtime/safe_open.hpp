// safe_open.hpp - opens what others may have prepared: no symlinks, no devices, no FIFOs, no other
// mount.
#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>

#include "runtime/unique_fd.hpp"
#include "schemas/result.hpp"

namespace plimsoll {

// A directory for reading names and as base for open_below(). Symlinks in the way to it are
// followed (the operator named it), the last component must not be one. not_found, permission,
// bad_request (no directory, or a symlink).
Result<UniqueFd> open_directory(const std::string& path);
// A sub-directory of an open one; `name` as in open_below().
Result<UniqueFd> open_directory_below(int directory_fd, std::string_view name);

// A regular file named by one component (no '/', not "." or "..") in an open directory. `flags` is
// O_RDONLY or O_RDWR, possibly with more; O_CLOEXEC|O_NOFOLLOW|O_NONBLOCK|O_NOCTTY are always
// added. Looked at before it is opened, so that a device or FIFO never feels it. not_found;
// permission; bad_request = symlink, no regular file, another file system, bad name; busy = a lease
// is held on it, try again later; limit = no descriptor left.
Result<UniqueFd> open_below(int directory_fd, std::string_view name, int flags);

// fstat with a Result.
Result<struct ::stat> stat_of(int fd);

}  // namespace plimsoll
