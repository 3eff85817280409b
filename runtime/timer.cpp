// timer.cpp - uv_timer_t in a heap block that the close callback frees.
#include "runtime/timer.hpp"

#include <uv.h>

#include <algorithm>
#include <utility>

#include "runtime/loop.hpp"
#include "schemas/result.hpp"

namespace plimsoll {

struct Timer::Block {
  uv_timer_t handle{};
  std::function<void()> callback;
};

Timer::Timer(Loop& loop, std::function<void()> callback) : block_(new Block) {
  block_->callback = std::move(callback);
  block_->handle.data = block_;
  PLIMSOLL_CHECK(uv_timer_init(loop.handle(), &block_->handle) == 0);
}

Timer::Timer(Timer&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}

Timer& Timer::operator=(Timer&& other) noexcept {
  std::swap(block_, other.block_);
  Timer old(std::move(other));  // closes what was here before, now rather than when `other` dies
  return *this;
}

Timer::~Timer() {
  if (block_ == nullptr) return;
  uv_close(reinterpret_cast<uv_handle_t*>(&block_->handle),
           [](uv_handle_t* handle) { delete static_cast<Block*>(handle->data); });
}

void Timer::start_once(milliseconds delay) {
  start(delay, milliseconds(0));
}

void Timer::start_every(milliseconds period) {
  PLIMSOLL_CHECK(period >= milliseconds(1));
  start(period, period);
}

void Timer::start(milliseconds delay, milliseconds repeat) {
  PLIMSOLL_CHECK(block_ != nullptr);
  uv_update_time(block_->handle.loop);  // a long callback must not shorten the delay
  const auto on_time = [](uv_timer_t* handle) { static_cast<Block*>(handle->data)->callback(); };
  (void)uv_timer_start(&block_->handle, on_time,
                       static_cast<std::uint64_t>(std::max(delay, milliseconds(0)).count()),
                       static_cast<std::uint64_t>(repeat.count()));
}

void Timer::stop() {
  if (block_ != nullptr) (void)uv_timer_stop(&block_->handle);
}

bool Timer::active() const {
  return block_ != nullptr &&
         uv_is_active(reinterpret_cast<const uv_handle_t*>(&block_->handle)) != 0;
}

}  // namespace plimsoll
