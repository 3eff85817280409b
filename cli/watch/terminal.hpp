// terminal.hpp - the terminal as a resource: keys without echo, signals as events, always put back.
// Thin: no layout, no words. Main thread only; make it before any other thread, so that they
// inherit the blocked signals.
#pragma once

#include <termios.h>

#include <string_view>

#include "cli/styled.hpp"
#include "runtime/unique_fd.hpp"
#include "schemas/result.hpp"

namespace plimsoll::cli {

// Blocks SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT and SIGWINCH; they come from fd()
// instead.
class SignalQueue {
 public:
  [[nodiscard]] static Result<SignalQueue> open();
  SignalQueue(SignalQueue&&) noexcept = default;
  SignalQueue& operator=(SignalQueue&&) noexcept = default;

  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] int take() const;  // 0 = none is waiting

 private:
  explicit SignalQueue(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

// Stops this process as Ctrl-Z would; returns when it is continued.
void stop_here();

// Unbuffered, silent keys while it lives; the old settings come back with restore() or at its end.
class QuietKeys {
 public:
  explicit QuietKeys(int fd);  // does nothing if `fd` is no terminal
  ~QuietKeys() { restore(); }
  QuietKeys(const QuietKeys&) = delete;
  QuietKeys& operator=(const QuietKeys&) = delete;

  void apply();
  void restore();
  [[nodiscard]] bool works() const { return works_; }

 private:
  int fd_;
  bool works_ = false;
  bool applied_ = false;
  termios before_{};
};

// Columns and rows of stdout now; zeros if it is no terminal.
struct TerminalSize {
  std::size_t width = 0;
  std::size_t height = 0;
};
[[nodiscard]] TerminalSize terminal_size();

// All bytes, past short writes; false if nobody takes them.
bool write_to_terminal(std::string_view bytes);

}  // namespace plimsoll::cli
