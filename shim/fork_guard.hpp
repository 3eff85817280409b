// fork_guard.hpp - tells every open handle, in a forked child, that it is the parent's and not the
// child's.
#pragma once

#include <mutex>

namespace plimsoll {

// Lives as long as something a child must let go of. While a Lock is held no fork of this process
// can happen, so a descriptor is never copied between its making and its entry here.
class ForkGuard {
 public:
  using Lock = std::unique_lock<std::mutex>;
  [[nodiscard]] static Lock lock();

  ForkGuard() = default;
  virtual ~ForkGuard() = default;
  ForkGuard(const ForkGuard&) = delete;
  ForkGuard& operator=(const ForkGuard&) = delete;

  void enter(const Lock& held);  // from now on the child's handler calls after_fork_in_child
  void leave(const Lock& held);  // no effect if not entered

  // In the child, before fork returns, with every guard locked: only what is safe in a signal
  // handler.
  virtual void after_fork_in_child() noexcept = 0;

 private:
  static void run_in_child();

  ForkGuard* next_ = nullptr;
  ForkGuard* previous_ = nullptr;
  bool entered_ = false;
};

}  // namespace plimsoll
