// terminal.cpp - termios, signalfd and the window size.
#include "cli/watch/terminal.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "runtime/errno_error.hpp"

namespace plimsoll::cli {
namespace {

constexpr std::array kTaken = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH};

sigset_t taken_set() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signo : kTaken)
    sigaddset(&set, signo);
  return set;
}

}  // namespace

Result<SignalQueue> SignalQueue::open() {
  const auto set = taken_set();
  if (pthread_sigmask(SIG_BLOCK, &set, nullptr) != 0)
    return fail(errno_error("block signals", errno));
  UniqueFd fd(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd) return fail(errno_error("open a signal descriptor", errno));
  return SignalQueue(std::move(fd));
}

int SignalQueue::take() const {
  signalfd_siginfo info{};
  const auto got = read(fd_.get(), &info, sizeof info);
  return got == static_cast<ssize_t>(sizeof info) ? static_cast<int>(info.ssi_signo) : 0;
}

void stop_here() {
  sigset_t only_stop;
  sigemptyset(&only_stop);
  sigaddset(&only_stop, SIGTSTP);
  (void)raise(SIGTSTP);  // waits while blocked; stops the process in the next line
  (void)pthread_sigmask(SIG_UNBLOCK, &only_stop, nullptr);
  (void)pthread_sigmask(SIG_BLOCK, &only_stop, nullptr);
}

QuietKeys::QuietKeys(int fd) : fd_(fd) {
  works_ = isatty(fd) == 1 && tcgetattr(fd, &before_) == 0;
  apply();
}

void QuietKeys::apply() {
  if (!works_ || applied_) return;
  termios quiet = before_;
  quiet.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);  // ISIG stays: Ctrl-C and Ctrl-Z work
  quiet.c_cc[VMIN] = 0;
  quiet.c_cc[VTIME] = 0;
  applied_ = tcsetattr(fd_, TCSADRAIN, &quiet) == 0;
}

void QuietKeys::restore() {
  if (!applied_) return;
  // Nothing can be done about a terminal that has gone.
  (void)tcsetattr(fd_, TCSADRAIN, &before_);
  applied_ = false;
}

TerminalSize terminal_size() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return {};
  return {size.ws_col, size.ws_row};
}

bool write_to_terminal(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto done = write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0 && errno == EAGAIN) {  // somebody made the terminal non-blocking
      pollfd room{STDOUT_FILENO, POLLOUT, 0};
      (void)poll(&room, 1, -1);
      continue;
    }
    if (done <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

}  // namespace plimsoll::cli
