// service_test.cpp - what systemd hears, from a socket that stands in for it.
#include "runtime/service.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "tests/unit/runtime/temporary_directory.hpp"

using namespace plimsoll;
using plimsoll::test::TemporaryDirectory;

namespace {

class Manager {
 public:
  Manager() : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    const std::string path = directory_ / "notify";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    REQUIRE(::bind(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::setenv("NOTIFY_SOCKET", path.c_str(), 1) == 0);
  }
  ~Manager() { ::unsetenv("NOTIFY_SOCKET"); }
  std::string heard() const {
    char buffer[512];
    const ssize_t got = ::recv(fd_.get(), buffer, sizeof buffer, 0);
    return got < 0 ? "" : std::string(buffer, static_cast<std::size_t>(got));
  }

 private:
  TemporaryDirectory directory_;
  UniqueFd fd_;
};

}  // namespace

TEST_CASE("the service manager hears of each state") {
  const Manager manager;
  notify_ready("serving");
  CHECK(manager.heard() == "READY=1\nSTATUS=serving");
  notify_status("two\nlines");
  CHECK(manager.heard().find('\n') == std::string::npos);
  notify_reloading();
  CHECK(manager.heard().rfind("RELOADING=1\nMONOTONIC_USEC=", 0) == 0);
  notify_watchdog();
  CHECK(manager.heard() == "WATCHDOG=1");
  notify_stopping();
  CHECK(manager.heard() == "STOPPING=1");
}

TEST_CASE("without a service manager nothing happens") {
  notify_ready("serving");
  CHECK_FALSE(watchdog_interval().has_value());
  const auto sockets = take_passed_sockets();
  REQUIRE(sockets.has_value());
  CHECK(sockets->empty());
}

TEST_CASE("the watchdog wants to be fed at half its time") {
  REQUIRE(::setenv("WATCHDOG_USEC", "3000000", 1) == 0);
  REQUIRE(::setenv("WATCHDOG_PID", std::to_string(::getpid()).c_str(), 1) == 0);
  CHECK(watchdog_interval() == milliseconds(1500));
  ::unsetenv("WATCHDOG_USEC");
  ::unsetenv("WATCHDOG_PID");
}
