// fork_guard.cpp - one list per process: pthread_atfork handlers have no argument to find it by.
#include "shim/fork_guard.hpp"

#include <pthread.h>

namespace plimsoll {
namespace {

struct Guards {
  std::mutex mutex;
  ForkGuard* first = nullptr;
  std::once_flag handlers_set;
};

constinit Guards process_guards;  // process-wide by nature, see the head of this file

void before_fork() {
  process_guards.mutex.lock();
}

void after_fork_in_parent() {
  process_guards.mutex.unlock();
}

}  // namespace

ForkGuard::Lock ForkGuard::lock() {
  std::call_once(process_guards.handlers_set, [] {
    (void)pthread_atfork(before_fork, after_fork_in_parent, &ForkGuard::run_in_child);
  });
  return Lock(process_guards.mutex);
}

void ForkGuard::run_in_child() {
  for (ForkGuard* guard = process_guards.first; guard != nullptr; guard = guard->next_)
    guard->after_fork_in_child();
  process_guards.mutex.unlock();
}

void ForkGuard::enter(const Lock& /*held*/) {
  if (entered_) return;
  entered_ = true;
  previous_ = nullptr;
  next_ = process_guards.first;
  if (next_ != nullptr) next_->previous_ = this;
  process_guards.first = this;
}

void ForkGuard::leave(const Lock& /*held*/) {
  if (!entered_) return;
  entered_ = false;
  if (previous_ != nullptr)
    previous_->next_ = next_;
  else
    process_guards.first = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
}

}  // namespace plimsoll
