// worker.hpp - one thread for what blocks (fsync, SQL); results come back to the loop thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace plimsoll {

class Loop;

class Worker {
 public:
  // At most `max_queued` jobs wait at a time; a further one is refused.
  Worker(Loop& loop, std::size_t max_queued);
  // Does the jobs still queued, then joins. Their `done` and any not yet called are dropped, so
  // what they refer to may be gone.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Loop thread. `job` runs in the worker's thread, jobs in order; then `done` in the loop thread,
  // in the same order. Neither may throw, and they must not share unprotected data with the loop
  // while the job runs. False = the queue is full and nothing was kept (ErrorCode::busy for whoever
  // asked).
  [[nodiscard]] bool post(std::function<void()> job, std::function<void()> done);

  // Jobs not yet begun.
  std::size_t queued() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plimsoll
