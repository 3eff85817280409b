// stream_copy.cpp - see stream_copy.hpp.
#include "shim/run/stream_copy.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace plimsoll {

namespace {

constexpr std::size_t kBufferBytes = 64 * 1024;  // a pipe's usual capacity

}  // namespace

StreamCopy::StreamCopy(int source, int target)
    : source_(source), sink_(target), buffer_(kBufferBytes) {}

StreamCopy::~StreamCopy() {
  close_source();
}

int StreamCopy::wanted_fd() const {
  return has_pending() ? sink_.fd() : source_;
}

short StreamCopy::wanted_events() const {
  return has_pending() ? POLLOUT : POLLIN;
}

std::string_view StreamCopy::step() {
  if (has_pending()) {
    flush();
    return {};
  }
  if (at_end()) return {};
  const ssize_t got = read(source_, buffer_.data(), buffer_.size());
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return {};
  if (got <= 0) {
    close_source();
    return {};
  }
  const std::string_view bytes(buffer_.data(), static_cast<std::size_t>(got));
  pending_ = bytes;
  flush();
  return bytes;
}

void StreamCopy::close_source() {
  if (source_ >= 0) close(source_);
  source_ = -1;
}

// Where our reader has gone the tool must learn it as it would without us: its next write is a
// SIGPIPE.
void StreamCopy::flush() {
  if (sink_.write_some(pending_) != OutputSink::Status::broken) return;
  pending_ = {};
  close_source();
}

}  // namespace plimsoll
