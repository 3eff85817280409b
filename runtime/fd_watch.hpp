// fd_watch.hpp - tells when a file descriptor can be read or written.
#pragma once

#include <functional>

#include "schemas/result.hpp"

namespace plimsoll {

class Loop;

struct FdReady {
  bool readable = false;
  bool writable = false;
  bool hung_up = false;  // the peer closed its side
  bool failed = false;   // the descriptor is broken; no more calls will come
};

// Level-triggered watch on a socket, pipe, epoll or inotify descriptor. Movable; does not own the
// descriptor, which must stay open until the watch is stopped or destroyed.
class FdWatch {
 public:
  using Callback = std::function<void(FdReady)>;

  FdWatch() = default;
  // Makes `fd` non-blocking. Fails for files that cannot be polled (ErrorCode::permission).
  static Result<FdWatch> create(Loop& loop, int fd, Callback callback);
  FdWatch(FdWatch&& other) noexcept;
  FdWatch& operator=(FdWatch&& other) noexcept;
  ~FdWatch();

  void start(bool readable, bool writable);
  void stop();

 private:
  struct Block;
  explicit FdWatch(Block* block) : block_(block) {}
  Block* block_ = nullptr;
};

}  // namespace plimsoll
