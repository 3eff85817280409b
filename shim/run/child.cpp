// child.cpp - see child.hpp. Between fork and exec only async-signal-safe calls, for the wrapper
// may have a second thread.
#include "shim/run/child.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

namespace plimsoll {

namespace {

struct Pipe {
  int read_end = -1;
  int write_end = -1;

  [[nodiscard]] bool open() const { return read_end >= 0; }
  void close_read() { close_one(read_end); }
  void close_write() { close_one(write_end); }

 private:
  static void close_one(int& fd) {
    if (fd >= 0) close(fd);
    fd = -1;
  }
};

struct Pipes {
  Pipe out, err;
  Pipe exec;            // the child's errno, or its end at a successful exec
  bool merged = false;  // stderr goes into `out` too

  void close_all() {
    for (Pipe* pipe : {&out, &err, &exec}) {
      pipe->close_read();
      pipe->close_write();
    }
  }
};

bool make_pipe(Pipe& made) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  made = Pipe{ends[0], ends[1]};
  return true;
}

bool same_file(int one, int other) {
  struct stat a {
  }, b{};
  if (fstat(one, &a) != 0 || fstat(other, &b) != 0) return false;
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool is_open(int fd) {
  return fcntl(fd, F_GETFD) >= 0;
}

// A descriptor kept by keep_closed_descriptors_closed is closed as far as the tool is concerned.
bool goes_to_tool(int fd) {
  const int flags = fcntl(fd, F_GETFD);
  return flags >= 0 && (flags & FD_CLOEXEC) == 0;
}

bool make_pipes(const SpawnPlan& plan, Pipes& pipes) {
  const bool out = plan.read_out && goes_to_tool(STDOUT_FILENO);
  const bool err = plan.read_err && goes_to_tool(STDERR_FILENO);
  pipes.merged = out && err && same_file(STDOUT_FILENO, STDERR_FILENO);
  if (!make_pipe(pipes.exec)) return false;
  if (out && !make_pipe(pipes.out)) return false;
  return !err || pipes.merged || make_pipe(pipes.err);
}

void connect(int from, int to) {
  if (from >= 0) (void)dup2(from, to);  // both are open: cannot fail
}

[[noreturn]] void become_tool(const std::vector<char*>& argv, const Pipes& pipes,
                              const ControllingTerminal* terminal, const SignalInbox& inbox) {
  (void)setpgid(0, 0);  // the parent does the same: whoever comes first
  if (terminal != nullptr) terminal->give_to(getpid());
  connect(pipes.out.write_end, STDOUT_FILENO);
  connect(pipes.merged ? pipes.out.write_end : pipes.err.write_end, STDERR_FILENO);
  inbox.restore_for_exec();
  (void)execvp(argv[0], argv.data());
  const int error = errno;
  (void)!write(pipes.exec.write_end, &error, sizeof error);  // nobody is left to tell if this fails
  _exit(127);
}

// 0 once the exec has succeeded, else its errno; waits for that, which is no tool's time.
int exec_result(int read_end) {
  int error = 0;
  ssize_t got = 0;
  do
    got = read(read_end, &error, sizeof error);
  while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof error) ? error : 0;
}

void set_environment(const std::vector<std::string>& environment) {
  for (const std::string& entry : environment) {
    const std::size_t equals = entry.find('=');
    (void)setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 0);
  }
}

}  // namespace

SpawnOutcome spawn(const SpawnPlan& plan, const ControllingTerminal& terminal,
                   const SignalInbox& inbox) {
  SpawnOutcome outcome;
  Pipes pipes;
  if (!make_pipes(plan, pipes)) {
    outcome.error = errno;
    pipes.close_all();
    return outcome;
  }
  set_environment(plan.environment);
  std::vector<char*> argv;
  for (const std::string& word : plan.argv)
    argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const bool foreground = terminal.is_foreground(getpgrp());
  const pid_t pid = fork();
  if (pid == 0) become_tool(argv, pipes, foreground ? &terminal : nullptr, inbox);
  outcome.error = pid < 0 ? errno : 0;
  if (pid > 0) {
    (void)setpgid(pid, pid);  // fails once the tool has exec'ed: then the child has done it
    pipes.exec.close_write();
    outcome.error = exec_result(pipes.exec.read_end);
  }
  if (outcome.error != 0) {
    if (pid > 0) (void)waitpid(pid, nullptr, 0);
    if (foreground) terminal.give_to(getpgrp());
    pipes.close_all();
    return outcome;
  }
  for (const Pipe* pipe : {&pipes.out, &pipes.err})
    if (pipe->open()) (void)fcntl(pipe->read_end, F_SETFL, O_NONBLOCK);  // valid descriptor
  pipes.out.close_write();
  pipes.err.close_write();
  pipes.exec.close_read();
  outcome.child = Child{pid, pipes.out.read_end, pipes.err.read_end};
  return outcome;
}

int shell_status(int spawn_error) {
  return spawn_error == ENOENT ? 127 : 126;
}

ChildNews look_at(pid_t child) {
  ChildNews news;
  int status = 0;
  if (waitpid(child, &status, WNOHANG | WUNTRACED) != child) return news;
  if (WIFSTOPPED(status)) {
    news.change = ChildChange::stopped;
    news.stop_signal = WSTOPSIG(status);
  } else if (WIFEXITED(status)) {
    news.change = ChildChange::ended;
    news.exit.code = WEXITSTATUS(status);
  } else if (WIFSIGNALED(status)) {
    news.change = ChildChange::ended;
    news.exit.signal = WTERMSIG(status);
  }
  return news;
}

void keep_closed_descriptors_closed() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (is_open(fd)) continue;
    (void)open("/dev/null", O_RDWR | O_CLOEXEC);  // takes the lowest free number, which is fd
  }
}

}  // namespace plimsoll
