// signals.cpp - uv_signal_t in a heap block that the close callback frees.
#include "runtime/signals.hpp"

#include <uv.h>

#include <utility>

#include "runtime/loop.hpp"
#include "schemas/result.hpp"

namespace plimsoll {

struct SignalWatch::Block {
  uv_signal_t handle{};
  std::function<void()> callback;
};

SignalWatch::SignalWatch(Loop& loop, int signo, std::function<void()> callback)
    : block_(new Block) {
  block_->callback = std::move(callback);
  block_->handle.data = block_;
  const auto on_signal = [](uv_signal_t* handle, int) {
    static_cast<Block*>(handle->data)->callback();
  };
  PLIMSOLL_CHECK(uv_signal_init(loop.handle(), &block_->handle) == 0);
  PLIMSOLL_CHECK(uv_signal_start(&block_->handle, on_signal, signo) == 0);
}

SignalWatch::SignalWatch(SignalWatch&& other) noexcept
    : block_(std::exchange(other.block_, nullptr)) {}

SignalWatch& SignalWatch::operator=(SignalWatch&& other) noexcept {
  std::swap(block_, other.block_);
  SignalWatch old(std::move(other));  // closes what was here before
  return *this;
}

SignalWatch::~SignalWatch() {
  if (block_ == nullptr) return;
  uv_close(reinterpret_cast<uv_handle_t*>(&block_->handle),
           [](uv_handle_t* handle) { delete static_cast<Block*>(handle->data); });
}

}  // namespace plimsoll
