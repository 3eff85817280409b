// liveness.cpp - OFD locks: the kernel frees them on any death.
#include "agent/io/liveness.hpp"

#include <fcntl.h>

#include <cerrno>

#include "runtime/errno_error.hpp"

namespace plimsoll {
namespace {

struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;  // length 0 = to the end, l_pid 0 as OFD locks want it
}

}  // namespace

Result<bool> is_lock_held(int fd) {
  auto lock = whole_file();
  if (::fcntl(fd, F_OFD_GETLK, &lock) != 0) return errno_failure("ask a segment's lock", errno);
  return lock.l_type != F_UNLCK;
}

Result<bool> try_lock(int fd) {
  auto lock = whole_file();
  if (::fcntl(fd, F_OFD_SETLK, &lock) == 0) return true;
  if (errno == EAGAIN || errno == EACCES) return false;
  return errno_failure("lock a segment", errno);
}

}  // namespace plimsoll
