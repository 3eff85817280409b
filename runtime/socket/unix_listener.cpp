// unix_listener.cpp - accepts connections, a few per turn.
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "runtime/fd_watch.hpp"
#include "runtime/loop.hpp"
#include "runtime/socket/unix_stream.hpp"
#include "runtime/timer.hpp"

namespace plimsoll {
namespace {

constexpr int kAcceptsPerTurn = 16;
// Without descriptors the backlog stays readable; asking again at once would only burn the CPU.
constexpr milliseconds kRetryAccept{100};

}  // namespace

// Orphaned like UnixStream's block when its owner dies inside the callback.
struct UnixListener::Block {
  Loop& loop;
  UniqueFd fd;
  OnAccept on_accept;
  FdWatch watch{};
  Timer retry{};
  bool calling = false;
  bool orphan = false;

  void on_ready();
  bool accept_one();
};

void UnixListener::Block::on_ready() {
  calling = true;
  for (int accepted = 0; accepted < kAcceptsPerTurn && !orphan; ++accepted)
    if (!accept_one()) break;
  calling = false;
  if (orphan) delete this;
}

bool UnixListener::Block::accept_one() {
  UniqueFd accepted(::accept4(fd.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!accepted) {
    const bool exhausted =
        errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS;
    if (exhausted) {
      watch.stop();
      retry.start_once(kRetryAccept);
    }
    return errno == ECONNABORTED || errno == EINTR;
  }
  auto peer = peer_credentials(accepted.get());
  if (!peer) return true;
  auto stream = UnixStream::adopt(loop, std::move(accepted));
  if (stream) on_accept(std::move(*stream), std::move(*peer));
  return true;
}

UnixListener::UnixListener(Loop& loop, UniqueFd fd, OnAccept on_accept)
    : block_(new Block{loop, std::move(fd), std::move(on_accept)}) {
  Block* block = block_;
  auto watch = FdWatch::create(loop, block->fd.get(), [block](FdReady) { block->on_ready(); });
  PLIMSOLL_CHECK(watch.has_value());  // a listening socket can be watched
  block->watch = std::move(*watch);
  block->retry = Timer(loop, [block] { block->watch.start(true, false); });
  block->watch.start(true, false);
}

UnixListener::UnixListener(UnixListener&& other) noexcept
    : block_(std::exchange(other.block_, nullptr)) {}

UnixListener& UnixListener::operator=(UnixListener&& other) noexcept {
  std::swap(block_, other.block_);
  UnixListener old(std::move(other));  // ends what was here before
  return *this;
}

UnixListener::~UnixListener() {
  if (block_ == nullptr) return;
  block_->watch = FdWatch();
  block_->retry = Timer();
  block_->fd.reset();
  if (block_->calling)
    block_->orphan = true;
  else
    delete block_;
}

}  // namespace plimsoll
