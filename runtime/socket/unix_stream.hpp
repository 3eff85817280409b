// unix_stream.hpp - byte streams over Unix sockets in the loop thread, with a bound on what waits.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "runtime/socket/peer_credentials.hpp"
#include "runtime/unique_fd.hpp"
#include "schemas/result.hpp"

namespace plimsoll {

class Loop;

// Movable owner of a connected stream. No callback comes after close() or destruction, and both are
// allowed inside its own callbacks. Loop thread only; `loop` must outlive it.
class UnixStream {
 public:
  static constexpr std::size_t kDefaultMaxQueuedBytes = std::size_t{4} << 20U;

  UnixStream() = default;  // empty: closed() is true
  // Takes a connected socket.
  static Result<UnixStream> adopt(Loop& loop, UniqueFd fd);
  UnixStream(UnixStream&& other) noexcept;
  UnixStream& operator=(UnixStream&& other) noexcept;
  ~UnixStream();

  // Begins to read. `on_bytes` gets at most 64 KiB at a time, valid during the call. `on_closed`
  // comes at most once, when the peer closed (ErrorCode::closed) or the socket failed (io); the
  // stream is then closed already. Call once.
  void start(std::function<void(std::string_view)> on_bytes, std::function<void(Error)> on_closed);
  // Back-pressure: while paused the peer's bytes wait in the kernel.
  void pause_reading();
  void resume_reading();

  // Queues `bytes`; what the kernel takes at once is sent at once. limit: the queue would exceed
  // its bound, nothing was queued (the caller decides what to drop); closed: there is no peer any
  // more.
  Result<void> write(std::string bytes);
  std::size_t queued_bytes() const;
  void set_max_queued_bytes(std::size_t bytes);

  // Drops what is still queued.
  void close();
  bool closed() const;

  // Who is at the other end.
  Result<PeerCredentials> peer() const;

 private:
  struct Block;
  explicit UnixStream(Block* block) : block_(block) {}
  Block* block_ = nullptr;
};

// Connects now: for a Unix socket that never waits. unreachable, permission or busy as
// connect_unix_fd.
Result<UnixStream> connect_unix(Loop& loop, const std::string& path);

// Accepts connections of a listening socket until it is destroyed. Movable; may be destroyed inside
// its own callback. A peer whose credentials cannot be read is closed unseen.
class UnixListener {
 public:
  using OnAccept = std::function<void(UnixStream, PeerCredentials)>;

  UnixListener() = default;
  // `fd` must listen already.
  UnixListener(Loop& loop, UniqueFd fd, OnAccept on_accept);
  UnixListener(UnixListener&& other) noexcept;
  UnixListener& operator=(UnixListener&& other) noexcept;
  ~UnixListener();

 private:
  struct Block;
  Block* block_ = nullptr;
};

}  // namespace plimsoll
