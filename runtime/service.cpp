// service.cpp - sd_notify and sd_listen_fds.
#include "runtime/service.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "runtime/clock.hpp"
#include "runtime/errno_error.hpp"
#include "schemas/text.hpp"

namespace plimsoll {
namespace {

// Failing to tell the service manager is no reason to fail: it notices by its own timeouts.
void notify(const std::string& state) {
  (void)sd_notify(0, state.c_str());
}

std::string status_line(const std::string& status) {
  return "STATUS=" + escape_text(status);
}

Result<PassedSocket> take_socket(int fd, const char* name) {
  UniqueFd owned(fd);
  if (sd_is_socket(fd, AF_UNSPEC, SOCK_STREAM, 1) <= 0)
    return fail(ErrorCode::config,
                "take passed descriptor " + std::to_string(fd) + ": it is no listening socket",
                "use ListenStream= in the socket unit");
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)
    return errno_failure("set passed descriptor " + std::to_string(fd) + " non-blocking", errno);
  return PassedSocket{name == nullptr ? "" : name, std::move(owned)};
}

}  // namespace

void notify_ready(const std::string& status) {
  notify("READY=1\n" + status_line(status));
}

void notify_reloading() {
  // systemd ≥ 253 wants the time, by its own clock, to tell this reload from the one before.
  notify("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(monotonic_us()));
}

void notify_stopping() {
  notify("STOPPING=1");
}
void notify_status(const std::string& status) {
  notify(status_line(status));
}
void notify_watchdog() {
  notify("WATCHDOG=1");
}

std::optional<milliseconds> watchdog_interval() {
  std::uint64_t period_us = 0;
  if (sd_watchdog_enabled(0, &period_us) <= 0) return std::nullopt;
  const auto half = milliseconds(static_cast<milliseconds::rep>(period_us / 2000));
  return std::max(half, milliseconds(1));
}

Result<std::vector<PassedSocket>> take_passed_sockets() {
  char** names = nullptr;
  const int count = sd_listen_fds_with_names(1, &names);
  if (count < 0) return errno_failure("take passed sockets", count);
  std::vector<PassedSocket> sockets;
  Error error{};
  bool failed = false;
  for (int i = 0; i < count; ++i) {
    auto socket = take_socket(SD_LISTEN_FDS_START + i, names == nullptr ? nullptr : names[i]);
    if (socket)
      sockets.push_back(std::move(*socket));
    else if (!std::exchange(failed, true))
      error = std::move(socket.error());
  }
  for (char** name = names; name != nullptr && *name != nullptr; ++name)
    std::free(*name);
  std::free(names);
  if (failed) return fail(std::move(error));
  return sockets;
}

}  // namespace plimsoll
