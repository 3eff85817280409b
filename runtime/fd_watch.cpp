// fd_watch.cpp - uv_poll_t in a heap block that the close callback frees.
#include "runtime/fd_watch.hpp"

#include <uv.h>

#include <memory>
#include <utility>

#include "runtime/errno_error.hpp"
#include "runtime/loop.hpp"

namespace plimsoll {

struct FdWatch::Block {
  uv_poll_t handle{};
  Callback callback;
};

Result<FdWatch> FdWatch::create(Loop& loop, int fd, Callback callback) {
  auto block = std::make_unique<Block>();
  block->callback = std::move(callback);
  block->handle.data = block.get();
  if (const int rc = uv_poll_init(loop.handle(), &block->handle, fd); rc != 0)
    return errno_failure("watch descriptor " + std::to_string(fd), rc);
  return FdWatch(block.release());
}

FdWatch::FdWatch(FdWatch&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}

FdWatch& FdWatch::operator=(FdWatch&& other) noexcept {
  std::swap(block_, other.block_);
  FdWatch old(std::move(other));  // closes what was here before, now rather than when `other` dies
  return *this;
}

FdWatch::~FdWatch() {
  if (block_ == nullptr) return;
  uv_close(reinterpret_cast<uv_handle_t*>(&block_->handle),
           [](uv_handle_t* handle) { delete static_cast<Block*>(handle->data); });
}

void FdWatch::start(bool readable, bool writable) {
  PLIMSOLL_CHECK(block_ != nullptr);
  const int events = (readable ? UV_READABLE | UV_DISCONNECT : 0) | (writable ? UV_WRITABLE : 0);
  const auto on_poll = [](uv_poll_t* handle, int status, int ready) {
    static_cast<Block*>(handle->data)
        ->callback({.readable = (ready & UV_READABLE) != 0,
                    .writable = (ready & UV_WRITABLE) != 0,
                    .hung_up = (ready & UV_DISCONNECT) != 0,
                    .failed = status < 0});
  };
  PLIMSOLL_CHECK(uv_poll_start(&block_->handle, events, on_poll) == 0);
}

void FdWatch::stop() {
  if (block_ != nullptr) (void)uv_poll_stop(&block_->handle);
}

}  // namespace plimsoll
