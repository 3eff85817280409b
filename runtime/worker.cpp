// worker.cpp - a thread, a bounded queue in, a wake-up out.
#include "runtime/worker.hpp"

#include <uv.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/loop.hpp"
#include "schemas/result.hpp"

namespace plimsoll {
namespace {

struct Job {
  std::function<void()> work;
  std::function<void()> done;
};

}  // namespace

struct Worker::State {
  // Outlives State until libuv has let go of the handle.
  struct WakeUp {
    uv_async_t handle{};
    State* state = nullptr;
  };

  std::size_t max_queued = 0;
  WakeUp* wake_up = nullptr;
  mutable std::mutex mutex;  // guards what follows
  std::condition_variable changed;
  std::deque<Job> jobs;
  std::vector<std::function<void()>> done;
  bool stopping = false;
  std::thread thread;  // not guarded

  void run_jobs();
  static void run_done(WakeUp& wake_up);
};

// The worker's thread: returns when the queue is empty and the owner is going.
void Worker::State::run_jobs() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [this] { return stopping || !jobs.empty(); });
    if (jobs.empty()) return;
    Job job = std::move(jobs.front());
    jobs.pop_front();
    lock.unlock();
    job.work();
    job.work = nullptr;  // what it holds dies here, before `done` is seen by the loop
    lock.lock();
    done.push_back(std::move(job.done));
    (void)uv_async_send(&wake_up->handle);
  }
}

void Worker::State::run_done(WakeUp& wake_up) {
  std::vector<std::function<void()>> batch;
  {
    const std::lock_guard lock(wake_up.state->mutex);
    batch.swap(wake_up.state->done);
  }
  for (auto& done : batch) {
    if (done) done();
    if (wake_up.state == nullptr) return;  // it destroyed the worker: the rest is dropped
  }
}

Worker::Worker(Loop& loop, std::size_t max_queued) : state_(std::make_unique<State>()) {
  state_->max_queued = max_queued;
  auto* wake_up = new State::WakeUp;
  wake_up->state = state_.get();
  wake_up->handle.data = wake_up;
  const auto on_wake_up = [](uv_async_t* handle) {
    auto& block = *static_cast<State::WakeUp*>(handle->data);
    if (block.state != nullptr) State::run_done(block);
  };
  PLIMSOLL_CHECK(uv_async_init(loop.handle(), &wake_up->handle, on_wake_up) == 0);
  state_->wake_up = wake_up;
  state_->thread = std::thread([state = state_.get()] { state->run_jobs(); });
}

Worker::~Worker() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->changed.notify_one();
  state_->thread.join();
  state_->wake_up->state = nullptr;
  uv_close(reinterpret_cast<uv_handle_t*>(&state_->wake_up->handle),
           [](uv_handle_t* handle) { delete static_cast<State::WakeUp*>(handle->data); });
}

bool Worker::post(std::function<void()> job, std::function<void()> done) {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->jobs.size() >= state_->max_queued) return false;
    state_->jobs.push_back({std::move(job), std::move(done)});
  }
  state_->changed.notify_one();
  return true;
}

std::size_t Worker::queued() const {
  const std::lock_guard lock(state_->mutex);
  return state_->jobs.size();
}

}  // namespace plimsoll
