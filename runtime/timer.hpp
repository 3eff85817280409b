// timer.hpp - calls a function in the loop thread after a while, once or again and again.
#pragma once

#include <functional>

#include "schemas/time.hpp"

namespace plimsoll {

class Loop;

// Movable owner of a timer. After stop() or destruction the callback is not called again; the
// callback may destroy or restart its own timer. `loop` must outlive it.
class Timer {
 public:
  Timer() = default;  // empty: only assignment and destruction are allowed
  Timer(Loop& loop, std::function<void()> callback);
  Timer(Timer&& other) noexcept;
  Timer& operator=(Timer&& other) noexcept;
  ~Timer();

  // Starting a running timer replaces its plan. Negative delays count as 0.
  void start_once(milliseconds delay);
  // First call after one `period` (at least 1 ms); late calls are not made up for.
  void start_every(milliseconds period);
  void stop();
  bool active() const;

 private:
  struct Block;
  void start(milliseconds delay, milliseconds repeat);
  Block* block_ = nullptr;
};

}  // namespace plimsoll
