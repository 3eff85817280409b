// segments_wait.cpp - see segments_wait.hpp.
#include "shim/run/segments_wait.hpp"

#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "shim/owned_fd.hpp"
#include "shim/run_places.hpp"

namespace plimsoll {

namespace {

std::int64_t steady_ms() {
  timespec now{};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);  // cannot fail: this clock always exists
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

bool is_directory(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

// Descriptor that becomes readable when something appears in one of `runs` or changes its mode.
OwnedFd watch(const std::vector<std::string>& runs) {
  OwnedFd fd(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  for (const std::string& run : runs)
    if (fd.is_open())
      (void)inotify_add_watch(fd.get(), run.c_str(),
                              IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_ONLYDIR);
  return fd;
}

void drain(int fd) {
  std::array<char, 4096> events{};
  while (read(fd, events.data(), events.size()) > 0) {
  }
}

}  // namespace

std::string wait_for_segments(const std::string& run_dir, milliseconds at_most) {
  const bool named = !run_dir.empty();
  std::vector<std::string> runs = named ? std::vector<std::string>{run_dir} : run_candidates();
  const std::string otherwise = named ? run_dir + "/segments" : "";
  runs.erase(std::remove_if(runs.begin(), runs.end(),
                            [](const std::string& run) { return !is_directory(run); }),
             runs.end());
  const std::int64_t until_ms = steady_ms() + at_most.count();
  const OwnedFd fd = watch(runs);
  while (!runs.empty()) {
    const auto found = find_segments_directory(runs);
    if (found) return *found;
    const std::int64_t left_ms = until_ms - steady_ms();
    if (found.error().code != ErrorCode::not_found || left_ms <= 0 || !fd.is_open()) break;
    pollfd waited{fd.get(), POLLIN, 0};
    if (poll(&waited, 1, static_cast<int>(left_ms)) > 0) drain(fd.get());
  }
  return otherwise;
}

}  // namespace plimsoll
