// unix_stream.cpp - a non-blocking socket, a watch on it and a bounded queue.
#include "runtime/socket/unix_stream.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <deque>
#include <utility>

#include "runtime/errno_error.hpp"
#include "runtime/fd_watch.hpp"
#include "runtime/socket/unix_socket.hpp"

namespace plimsoll {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10U;
constexpr int kReadsPerTurn = 4;  // then other callbacks get their turn

}  // namespace

// Lives on the heap, so that a callback may destroy or move its owner: while `calling`, the owner
// only orphans the block and the caller deletes it.
struct UnixStream::Block {
  UniqueFd fd;    // empty once closed
  FdWatch watch;  // destroyed before fd is closed
  std::function<void(std::string_view)> on_bytes;
  std::function<void(Error)> on_closed;
  std::deque<std::string> queue;
  std::size_t sent_of_front = 0;
  std::size_t queued = 0;
  std::size_t max_queued = kDefaultMaxQueuedBytes;
  bool reading = false;
  bool calling = false;
  bool orphan = false;

  void on_ready(FdReady ready);
  void read();
  void flush();
  void rewatch();
  void shut();
  void close_with(Error error);
};

void UnixStream::Block::on_ready(FdReady ready) {
  calling = true;
  if (ready.writable || ready.failed) flush();
  if (fd && reading && (ready.readable || ready.hung_up || ready.failed)) read();
  calling = false;
  if (orphan) delete this;
}

void UnixStream::Block::read() {
  std::array<char, kReadBytes> buffer;  // NOLINT: filled by recv
  for (int reads = 0; reads < kReadsPerTurn && fd && reading; ++reads) {
    const ssize_t got = ::recv(fd.get(), buffer.data(), buffer.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got < 0) return close_with(errno_error("read from the peer", errno));
    if (got == 0)
      return close_with(Error{ErrorCode::closed, "the peer closed the connection", "", ""});
    on_bytes({buffer.data(), static_cast<std::size_t>(got)});
    if (static_cast<std::size_t>(got) < buffer.size()) return;
  }
}

void UnixStream::Block::flush() {
  while (!queue.empty()) {
    const std::string& front = queue.front();
    const ssize_t sent = ::send(fd.get(), front.data() + sent_of_front,
                                front.size() - sent_of_front, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) break;
    if (sent < 0) return close_with(errno_error("write to the peer", errno));
    sent_of_front += static_cast<std::size_t>(sent);
    queued -= static_cast<std::size_t>(sent);
    if (sent_of_front < front.size()) continue;
    queue.pop_front();
    sent_of_front = 0;
  }
  rewatch();
}

void UnixStream::Block::rewatch() {
  if (!fd) return;
  if (reading || !queue.empty())
    watch.start(reading, !queue.empty());
  else
    watch.stop();
}

void UnixStream::Block::shut() {
  watch = FdWatch();
  fd.reset();
  queue.clear();
  queued = sent_of_front = 0;
}

void UnixStream::Block::close_with(Error error) {
  shut();
  const auto tell = std::exchange(on_closed, nullptr);
  if (tell) tell(std::move(error));
}

Result<UnixStream> UnixStream::adopt(Loop& loop, UniqueFd fd) {
  auto* block = new Block;
  UnixStream stream(block);
  auto watch = FdWatch::create(loop, fd.get(), [block](FdReady ready) { block->on_ready(ready); });
  if (!watch) return fail(std::move(watch.error()));
  block->fd = std::move(fd);
  block->watch = std::move(*watch);
  return stream;
}

UnixStream::UnixStream(UnixStream&& other) noexcept
    : block_(std::exchange(other.block_, nullptr)) {}

UnixStream& UnixStream::operator=(UnixStream&& other) noexcept {
  std::swap(block_, other.block_);
  other.close();  // what was here before ends now
  return *this;
}

UnixStream::~UnixStream() {
  close();
}

void UnixStream::start(std::function<void(std::string_view)> on_bytes,
                       std::function<void(Error)> on_closed) {
  PLIMSOLL_CHECK(block_ != nullptr && !block_->on_bytes);
  block_->on_bytes = std::move(on_bytes);
  block_->on_closed = std::move(on_closed);
  resume_reading();
}

void UnixStream::pause_reading() {
  if (block_ == nullptr) return;
  block_->reading = false;
  block_->rewatch();
}

void UnixStream::resume_reading() {
  if (block_ == nullptr) return;
  PLIMSOLL_CHECK(block_->on_bytes != nullptr);
  block_->reading = true;
  block_->rewatch();
}

// A broken socket is only reported here; on_closed comes from the loop, never from inside write().
Result<void> UnixStream::write(std::string bytes) {
  if (closed()) return fail(ErrorCode::closed, "write to the peer: the connection is closed");
  Block& block = *block_;
  if (block.queued + bytes.size() > block.max_queued)
    return fail(ErrorCode::limit,
                "write to the peer: " + std::to_string(block.queued) + " bytes wait already");
  std::size_t sent = 0;
  if (block.queue.empty()) {
    const ssize_t rc =
        ::send(block.fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (rc < 0 && errno != EAGAIN && errno != EINTR)
      return errno_failure("write to the peer", errno);
    sent = rc < 0 ? 0 : static_cast<std::size_t>(rc);
  }
  if (sent == bytes.size()) return {};
  const bool first = block.queue.empty();
  block.queued += bytes.size() - sent;
  block.queue.push_back(std::move(bytes));
  if (first) block.sent_of_front = sent;
  block.rewatch();
  return {};
}

std::size_t UnixStream::queued_bytes() const {
  return block_ == nullptr ? 0 : block_->queued;
}

void UnixStream::set_max_queued_bytes(std::size_t bytes) {
  if (block_ != nullptr) block_->max_queued = bytes;
}

void UnixStream::close() {
  if (block_ == nullptr) return;
  Block* block = std::exchange(block_, nullptr);
  block->shut();
  if (block->calling)
    block->orphan = true;
  else
    delete block;
}

bool UnixStream::closed() const {
  return block_ == nullptr || !block_->fd;
}

Result<PeerCredentials> UnixStream::peer() const {
  if (closed()) return fail(ErrorCode::closed, "ask for the peer: the connection is closed");
  return peer_credentials(block_->fd.get());
}

Result<UnixStream> connect_unix(Loop& loop, const std::string& path) {
  auto fd = connect_unix_fd(path);
  if (!fd) return fail(std::move(fd.error()));
  return UnixStream::adopt(loop, std::move(*fd));
}

}  // namespace plimsoll
