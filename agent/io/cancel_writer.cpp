// cancel_writer.cpp - same-inode checks around a write of one byte and an unlink.
#include "agent/io/cancel_writer.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "agent/io/liveness.hpp"
#include "runtime/errno_error.hpp"
#include "runtime/safe_open.hpp"
#include "schemas/segment_layout.hpp"
#include "schemas/text.hpp"

namespace plimsoll {
namespace {

Failure other_file(const SegmentFileRef& file) {
  return fail(ErrorCode::conflict, "segment " + quoted(file.name) + " is another file now");
}

Result<UniqueFd> open_same(const SegmentFileRef& file) {
  auto fd = open_below(file.directory_fd, file.name, O_RDWR);
  if (!fd) return fd;
  const auto found = stat_of(fd->get());
  if (!found) return fail(found.error());
  if (found->st_ino != file.inode) return other_file(file);
  return fd;
}

}  // namespace

Result<void> write_cancel(const SegmentFileRef& file) {
  const auto fd = open_same(file);
  if (!fd) return fail(fd.error());
  const char asked = 1;
  ssize_t written = -1;
  do {
    written = ::pwrite(fd->get(), &asked, 1, static_cast<off_t>(layout::kCancelOffset));
  } while (written < 0 && errno == EINTR);
  if (written != 1) return errno_failure("write the cancel byte of " + quoted(file.name), errno);
  return {};
}

Result<void> unlink_segment(const SegmentFileRef& file) {
  const auto fd = open_same(file);
  if (!fd) return fail(fd.error());
  const auto locked = try_lock(fd->get());
  if (!locked) return fail(locked.error());
  if (!*locked)
    return fail(ErrorCode::busy, "segment " + quoted(file.name) + " is locked by its mover");
  struct ::stat now {};
  if (::fstatat(file.directory_fd, file.name.c_str(), &now, AT_SYMLINK_NOFOLLOW) != 0)
    return errno_failure("stat segment " + quoted(file.name), errno);
  if (now.st_ino != file.inode) return other_file(file);
  if (::unlinkat(file.directory_fd, file.name.c_str(), 0) != 0)
    return errno_failure("unlink segment " + quoted(file.name), errno);
  return {};
}

}  // namespace plimsoll
