// signals.hpp - a signal as a call in the loop thread.
#pragma once

#include <functional>

namespace plimsoll {

class Loop;

// While it lives, `signo` does not do what it does by default but calls `callback`. Movable.
class SignalWatch {
 public:
  SignalWatch() = default;
  SignalWatch(Loop& loop, int signo, std::function<void()> callback);
  SignalWatch(SignalWatch&& other) noexcept;
  SignalWatch& operator=(SignalWatch&& other) noexcept;
  ~SignalWatch();

 private:
  struct Block;
  Block* block_ = nullptr;
};

}  // namespace plimsoll
