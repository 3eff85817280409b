// lock_file.cpp - an OFD lock and the holder's pid beside it.
#include "runtime/lock_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <utility>

#include "runtime/errno_error.hpp"
#include "schemas/text.hpp"

namespace plimsoll {
namespace {

// Digits only: the file may hold anything.
std::string holder_of(int fd) {
  std::array<char, 16> text{};
  const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
  long pid = 0;
  if (got <= 0 || std::from_chars(text.data(), text.data() + got, pid).ec != std::errc{} ||
      pid <= 0)
    return "another process";
  return "process " + std::to_string(pid);
}

bool lock(int fd) {
  struct ::flock whole_file {};
  whole_file.l_type = F_WRLCK;
  whole_file.l_whence = SEEK_SET;
  return ::fcntl(fd, F_OFD_SETLK, &whole_file) == 0;
}

// Information only: the lock holds without it.
void write_pid(int fd) {
  const std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(fd, 0) != 0) return;
  [[maybe_unused]] const ssize_t wrote = ::pwrite(fd, pid.data(), pid.size(), 0);
}

}  // namespace

Result<LockFile> LockFile::take(const std::string& path) {
  const std::string operation = "lock " + quoted(path);
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600));
  if (!fd) return errno_failure(operation, errno);
  struct ::stat status {};
  if (::fstat(fd.get(), &status) != 0) return errno_failure(operation, errno);
  if (!S_ISREG(status.st_mode))
    return fail(ErrorCode::config, operation + ": it is no regular file", "remove it");
  if (!lock(fd.get())) {
    if (errno != EAGAIN && errno != EACCES) return errno_failure(operation, errno);
    return fail(ErrorCode::address_in_use, operation + ": held by " + holder_of(fd.get()),
                "stop the other instance, or use another directory");
  }
  if (::fchmod(fd.get(), 0600) != 0) return errno_failure(operation, errno);
  write_pid(fd.get());
  return LockFile(std::move(fd));
}

}  // namespace plimsoll
