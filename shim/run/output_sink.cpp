// output_sink.cpp - see output_sink.hpp.
#include "shim/run/output_sink.hpp"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

namespace plimsoll {

OutputSink::OutputSink(int fd) : fd_(fd) {
  struct stat info {};
  if (fstat(fd, &info) != 0) return;
  socket_ = S_ISSOCK(info.st_mode);
  if (!S_ISFIFO(info.st_mode) && isatty(fd) == 0) return;
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  const int own = open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  may_block_ = own < 0;
  if (own < 0) return;
  fd_ = own;
  owned_ = true;
}

OutputSink::~OutputSink() {
  if (owned_) close(fd_);
}

OutputSink::Status OutputSink::write_some(std::string_view& bytes) {
  while (!bytes.empty()) {
    if (may_block_) {
      pollfd ready{fd_, POLLOUT, 0};
      if (poll(&ready, 1, 0) == 0) return Status::full;
    }
    const std::size_t size =
        may_block_ ? std::min<std::size_t>(bytes.size(), PIPE_BUF) : bytes.size();
    const ssize_t sent = socket_ ? send(fd_, bytes.data(), size, MSG_DONTWAIT | MSG_NOSIGNAL)
                                 : write(fd_, bytes.data(), size);
    if (sent >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    else if (errno == EAGAIN)
      return Status::full;
    else if (errno != EINTR)
      return Status::broken;
  }
  return Status::ok;
}

}  // namespace plimsoll
