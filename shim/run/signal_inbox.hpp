// signal_inbox.hpp - every signal the wrapper must hand on, read from a descriptor instead of
// handled. Signals that were ignored when we started (nohup, `&` in scripts) stay ignored, for the
// tool too.
#pragma once

#include <csignal>

#include <vector>

namespace plimsoll {

class SignalInbox {
 public:
  // Blocks the signals of this process, for good: one that comes when the tool is over must not
  // change how we end. At most one, made by the main thread before any other thread begins.
  SignalInbox();
  ~SignalInbox();
  SignalInbox(const SignalInbox&) = delete;
  SignalInbox& operator=(const SignalInbox&) = delete;

  // Readable when a signal waits; -1 = none could be made.
  [[nodiscard]] int fd() const { return fd_; }

  [[nodiscard]] std::vector<int> take();  // the numbers that wait, in order of arrival

  // In the child, between fork and exec: mask and dispositions as we were given them.
  void restore_for_exec() const;

  // Stops this process (`whole_group`: its group, as ^Z would) and returns when it is continued, or
  // at once where the kernel refuses (an orphaned group).
  void stop_self(int signal, bool whole_group);

 private:
  int fd_;
  sigset_t inbox_{};          // what is read here
  sigset_t original_mask_{};  // what the tool gets
  struct sigaction original_pipe_ {};
  struct sigaction original_child_ {};
};

// Ends this process by `signal`, so that its parent sees what happened to the tool. No core file:
// the core would be ours, not the tool's.
[[noreturn]] void die_of(int signal);

}  // namespace plimsoll
