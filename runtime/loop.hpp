// loop.hpp - the one event loop of a daemon; everything but the worker's jobs runs in its thread.
// Handles (timers, watches, streams, servers) refer to the loop and must be destroyed before it.
#pragma once

#include <functional>
#include <memory>

#include "schemas/time.hpp"

struct uv_loop_s;

namespace plimsoll {

class Loop {
 public:
  // Also sets SIGPIPE to ignored for the process: a peer that goes away is an error of write, not a
  // death. A child that is to run a foreign program must set it back to the default before exec.
  Loop();
  // Closes its own handles, runs what is left to close and aborts if somebody still owns a handle.
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Runs until stop(). May be called again afterwards.
  void run();
  // Ends run() after the current turn. Loop thread only.
  void stop();
  // Runs until `done()` is true (asked whenever on_turn would run), stop() or `watchdog`; says
  // whether done() held.
  bool run_until(const std::function<bool()>& done, milliseconds watchdog);

  // Any thread: runs `job` in the loop thread, in order, soon. Not run if the loop is destroyed
  // first. The queue has no bound of its own: callers are bounded (a worker's queue, one signal).
  void post(std::function<void()> job);

  // `turn` runs once per turn of the loop, after that turn's callbacks and before the loop waits
  // again: the place to drain the event queue. One function; a second call replaces the first, {}
  // removes it.
  void on_turn(std::function<void()> turn);

  // The loop's cached time, only for waking up: deadlines that decide something use Clock.
  milliseconds wake_time() const;

  // For the wrappers in runtime/ only.
  uv_loop_s* handle();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plimsoll
