// loop.cpp - a uv_loop_t, a wake-up for other threads and one function per turn.
#include "runtime/loop.hpp"

#include <uv.h>

#include <csignal>
#include <mutex>
#include <utility>
#include <vector>

#include "schemas/result.hpp"

namespace plimsoll {

struct Loop::State {
  uv_loop_t loop{};
  uv_async_t wake_up{};
  uv_prepare_t turn_end{};
  uv_timer_t watchdog{};
  bool stopped = false;
  const std::function<bool()>* until = nullptr;  // of run_until(), while it runs
  bool held = false;                             // what *until said last
  bool in_turn = false;
  std::function<void()> turn;
  std::mutex mutex;                           // guards posted
  std::vector<std::function<void()>> posted;  // from any thread

  void run_posted();
  void run_turn();
};

void Loop::State::run_posted() {
  std::vector<std::function<void()>> jobs;
  {
    const std::lock_guard lock(mutex);
    jobs.swap(posted);
  }
  for (auto& job : jobs)
    job();
}

// In the prepare phase every callback of the turn has run, timers included, and the loop has not
// yet decided how long to wait: whatever the turn starts counts.
void Loop::State::run_turn() {
  if (turn) {
    in_turn = true;
    turn();
    in_turn = false;
  }
  if (until == nullptr || !(*until)()) return;
  held = true;
  uv_stop(&loop);
}

Loop::Loop() : state_(std::make_unique<State>()) {
  (void)std::signal(SIGPIPE, SIG_IGN);
  State& s = *state_;
  PLIMSOLL_CHECK(uv_loop_init(&s.loop) == 0);
  s.wake_up.data = s.turn_end.data = s.watchdog.data = &s;
  const auto on_wake_up = [](uv_async_t* h) { static_cast<State*>(h->data)->run_posted(); };
  const auto on_turn_end = [](uv_prepare_t* h) { static_cast<State*>(h->data)->run_turn(); };
  PLIMSOLL_CHECK(uv_async_init(&s.loop, &s.wake_up, on_wake_up) == 0);
  PLIMSOLL_CHECK(uv_prepare_init(&s.loop, &s.turn_end) == 0);
  PLIMSOLL_CHECK(uv_prepare_start(&s.turn_end, on_turn_end) == 0);
  PLIMSOLL_CHECK(uv_timer_init(&s.loop, &s.watchdog) == 0);
}

Loop::~Loop() {
  State& s = *state_;
  for (auto* handle :
       {reinterpret_cast<uv_handle_t*>(&s.wake_up), reinterpret_cast<uv_handle_t*>(&s.turn_end),
        reinterpret_cast<uv_handle_t*>(&s.watchdog)})
    uv_close(handle, nullptr);
  // A handle that nobody is closing has an owner that outlives the loop: better a death here than a
  // loop that never ends, or a use after free.
  uv_walk(
      &s.loop, [](uv_handle_t* handle, void*) { PLIMSOLL_CHECK(uv_is_closing(handle) != 0); },
      nullptr);
  PLIMSOLL_CHECK(uv_run(&s.loop, UV_RUN_DEFAULT) == 0);
  PLIMSOLL_CHECK(uv_loop_close(&s.loop) == 0);
}

void Loop::run() {
  state_->stopped = false;
  while (!state_->stopped)
    (void)uv_run(&state_->loop, UV_RUN_DEFAULT);
}

void Loop::stop() {
  state_->stopped = true;
  uv_stop(&state_->loop);
}

bool Loop::run_until(const std::function<bool()>& done, milliseconds watchdog) {
  State& s = *state_;
  s.stopped = s.held = false;
  s.until = &done;
  uv_update_time(&s.loop);
  const auto on_expiry = [](uv_timer_t* h) {
    auto& state = *static_cast<State*>(h->data);
    state.stopped = true;
    uv_stop(&state.loop);
  };
  (void)uv_timer_start(&s.watchdog, on_expiry, static_cast<std::uint64_t>(watchdog.count()), 0);
  while (!s.held && !s.stopped)
    (void)uv_run(&s.loop, UV_RUN_DEFAULT);
  (void)uv_timer_stop(&s.watchdog);
  s.until = nullptr;
  return s.held || done();
}

void Loop::post(std::function<void()> job) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->posted.push_back(std::move(job));
  }
  (void)uv_async_send(&state_->wake_up);
}

void Loop::on_turn(std::function<void()> turn) {
  PLIMSOLL_CHECK(!state_->in_turn);  // would destroy the function that runs
  state_->turn = std::move(turn);
}

milliseconds Loop::wake_time() const {
  return milliseconds(static_cast<milliseconds::rep>(uv_now(&state_->loop)));
}

uv_loop_s* Loop::handle() {
  return &state_->loop;
}

}  // namespace plimsoll
