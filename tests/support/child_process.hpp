// child_process.hpp - a forked child of a test: its exit status, its death, and a loud "not here"
// for the rest.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace plimsoll::test {

inline constexpr int kDied = -1;  // of a signal

// Runs `body` in a child and gives what it returned (0…254). Nothing of the test framework may be
// used in it.
template <typename Body>
int run_in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return kDied;
  return WEXITSTATUS(status);
}

// A test that cannot run here says so on stderr, where the runner counts it.
inline bool skip_without(bool possible, const char* what) {
  if (!possible) std::fprintf(stderr, "SKIPPED: needs %s\n", what);
  return !possible;
}

}  // namespace plimsoll::test
