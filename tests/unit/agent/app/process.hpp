// process.hpp - a real program under test: started, talked to, killed, waited for.
#pragma once

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <string>
#include <vector>

namespace plimsoll::test {

inline constexpr int kPatienceMs = 60'000;  // only ends a test that has failed already

// Asks every 10 ms until it holds.
inline bool eventually(const std::function<bool()>& holds) {
  for (int waited = 0; waited < kPatienceMs; waited += 10) {
    if (holds()) return true;
    (void)::poll(nullptr, 0, 10);
  }
  return false;
}

class Process {
 public:
  // stdin and stdout are pipes, stderr goes to the file.
  Process(const std::string& program, std::vector<std::string> arguments,
          const std::string& stderr_path) {
    int to_child[2];
    int from_child[2];
    REQUIRE(pipe2(to_child, O_CLOEXEC) == 0);
    REQUIRE(pipe2(from_child, O_CLOEXEC) == 0);
    pid_ = fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      const int err = open(stderr_path.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
      dup2(to_child[0], 0);
      dup2(from_child[1], 1);
      dup2(err, 2);
      std::vector<char*> argv = {const_cast<char*>(program.c_str())};
      for (auto& argument : arguments)
        argv.push_back(argument.data());
      argv.push_back(nullptr);
      execv(program.c_str(), argv.data());
      _exit(127);
    }
    close(to_child[0]);
    close(from_child[1]);
    in_ = to_child[1];
    out_ = from_child[0];
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    kill(SIGKILL);
    (void)wait();
    if (in_ >= 0) close(in_);
    close(out_);
  }

  void kill(int signo) const {
    if (pid_ > 0) ::kill(pid_, signo);
  }
  // Exit status, or minus the signal it died of.
  int wait() {
    if (pid_ <= 0) return status_;
    int status = 0;
    REQUIRE(waitpid(pid_, &status, 0) == pid_);
    pid_ = -1;
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    return status_;
  }
  // One line out, one line back.
  std::string ask(const std::string& line) {
    const auto bytes = line + "\n";
    REQUIRE(write(in_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    return read_line();
  }
  std::string read_line() {
    while (buffer_.find('\n') == std::string::npos && read_some()) {
    }
    const auto end = buffer_.find('\n');
    const auto line = buffer_.substr(0, end);
    buffer_.erase(0, end == std::string::npos ? end : end + 1);
    return line;
  }
  std::string read_all() {
    while (read_some()) {
    }
    return buffer_;
  }

 private:
  bool read_some() {
    pollfd ready{out_, POLLIN, 0};
    if (poll(&ready, 1, kPatienceMs) != 1) return false;
    char bytes[4096];
    const auto got = read(out_, bytes, sizeof bytes);
    if (got > 0) buffer_.append(bytes, static_cast<std::size_t>(got));
    return got > 0;
  }

  pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
  int status_ = 0;
  std::string buffer_;
};

}  // namespace plimsoll::test
