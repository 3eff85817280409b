// segment_place.cpp - mkdir alone would give 1750 under a umask: owner and mode are set on the open
// directory.
#include "agent/io/segment_place.hpp"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/errno_error.hpp"
#include "runtime/safe_open.hpp"
#include "schemas/text.hpp"

namespace plimsoll {
namespace {

constexpr mode_t kAllModeBits = 07777;
constexpr mode_t kOpenToAll = 03777;  // documented: an agent of root without a group of its own

Result<void> set_owner_and_mode(int fd, const std::string& path, std::optional<gid_t> group) {
  const auto owner = static_cast<uid_t>(-1);  // stays ours
  // Not allowed to give it to that group: our own primary group does, and says so by its mode.
  const bool given = group && ::fchown(fd, owner, *group) == 0;
  if (!given && ::fchown(fd, owner, ::getegid()) != 0)
    return errno_failure("give directory " + quoted(path) + " its group", errno);
  if (::fchmod(fd, kSegmentsMode) != 0)
    return errno_failure("set the mode of directory " + quoted(path), errno);
  return {};
}

bool is_right(const struct ::stat& found) {
  const auto mode = found.st_mode & kAllModeBits;
  return mode == kSegmentsMode || mode == kOpenToAll;
}

}  // namespace

Result<UniqueFd> make_segments_directory(const std::string& path, std::optional<gid_t> group) {
  const bool made = ::mkdir(path.c_str(), 0700) == 0;
  if (!made && errno != EEXIST) {
    auto error = errno_error("create directory " + quoted(path), errno);
    if (error.code != ErrorCode::permission) error.code = ErrorCode::cannot_create;
    return fail(std::move(error));
  }
  auto fd = open_directory(path);
  if (!fd) return fd;
  const auto found = stat_of(fd->get());
  if (!found) return fail(found.error());
  if (!made && is_right(*found)) return fd;
  if (found->st_uid == ::geteuid()) {
    if (auto set = set_owner_and_mode(fd->get(), path, group); !set) return fail(set.error());
    return fd;
  }
  if ((found->st_mode & S_IWOTH) != 0 && (found->st_mode & S_ISVTX) == 0)
    return fail(ErrorCode::config,
                "directory " + quoted(path) + " is writable by others without the sticky bit",
                "chmod 3770 it, or name another directory");
  return fd;
}

bool is_tmpfs(int directory_fd) {
  struct ::statfs found {};
  return ::fstatfs(directory_fd, &found) == 0 && found.f_type == TMPFS_MAGIC;
}

}  // namespace plimsoll
