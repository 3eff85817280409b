// signal_inbox.cpp - see signal_inbox.hpp.
#include "shim/run/signal_inbox.hpp"

#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>

namespace plimsoll {

namespace {

constexpr std::array kHandedOn = {SIGHUP,  SIGINT,   SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM,
                                  SIGTERM, SIGCONT,  SIGTSTP, SIGTTIN, SIGTTOU, SIGVTALRM,
                                  SIGPROF, SIGWINCH, SIGIO,   SIGPWR,  SIGXCPU};

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

sigset_t handed_on_set() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kHandedOn)
    if (!is_ignored(signal)) sigaddset(&set, signal);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal)
    if (!is_ignored(signal)) sigaddset(&set, signal);
  return set;
}

void set_handler(int signal, void (*handler)(int), struct sigaction* before) {
  struct sigaction action {};
  action.sa_handler = handler;
  (void)sigaction(signal, &action, before);  // cannot fail for these signals
}

}  // namespace

SignalInbox::SignalInbox() {
  inbox_ = handed_on_set();
  sigaddset(&inbox_, SIGCHLD);
  // Giving the terminal away and taking it back must not stop us, even where SIGTTOU was ignored.
  sigset_t blocked = inbox_;
  sigaddset(&blocked, SIGTTOU);
  (void)sigprocmask(SIG_BLOCK, &blocked, &original_mask_);  // cannot fail with SIG_BLOCK
  set_handler(SIGPIPE, SIG_IGN, &original_pipe_);           // a reader who left is an EPIPE to us
  set_handler(SIGCHLD, SIG_DFL, &original_child_);  // ignored, it would eat the tool's status
  fd_ = signalfd(-1, &inbox_, SFD_CLOEXEC | SFD_NONBLOCK);
}

SignalInbox::~SignalInbox() {
  if (fd_ >= 0) close(fd_);
}

std::vector<int> SignalInbox::take() {
  std::vector<int> signals;
  signalfd_siginfo info{};
  while (read(fd_, &info, sizeof info) == static_cast<ssize_t>(sizeof info))
    signals.push_back(static_cast<int>(info.ssi_signo));
  return signals;
}

void SignalInbox::restore_for_exec() const {
  (void)sigaction(SIGPIPE, &original_pipe_, nullptr);
  (void)sigaction(SIGCHLD, &original_child_, nullptr);
  (void)sigprocmask(SIG_SETMASK, &original_mask_, nullptr);
}

void SignalInbox::stop_self(int signal, bool whole_group) {
  (void)kill(whole_group ? 0 : getpid(), signal);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  (void)sigprocmask(SIG_UNBLOCK, &one, nullptr);  // here the process stops, and here it goes on
  (void)sigprocmask(SIG_BLOCK, &one, nullptr);
}

void die_of(int signal) {
  const rlimit no_core{0, 0};
  (void)setrlimit(RLIMIT_CORE, &no_core);  // lowering cannot be refused
  set_handler(signal, SIG_DFL, nullptr);
  (void)raise(signal);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  (void)sigprocmask(SIG_UNBLOCK, &one, nullptr);
  _exit(128 + signal);  // a signal whose default is no death
}

}  // namespace plimsoll
