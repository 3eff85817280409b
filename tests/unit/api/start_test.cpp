// start_test.cpp - directories, lock, groups and flags: what a start refuses, and with which exit
// code.
#include <catch2/catch.hpp>

#include <sys/stat.h>

#include <filesystem>

#include "controller/controller_places.hpp"
#include "controller/controller_settings.hpp"
#include "controller/exit_code.hpp"
#include "tests/unit/runtime/temporary_directory.hpp"

using namespace plimsoll;
using namespace plimsoll::test;

namespace {

ControllerConfig config_in(const TemporaryDirectory& directory) {
  ControllerConfig config;
  config.run_dir = directory / "run";
  config.state_dir = directory / "deep/below/state";
  config.store_sqlite = config.state_dir + "/controller.db";
  config.socket.path = config.run_dir + "/controller.sock";
  config.uplink.path = config.run_dir + "/uplink.sock";
  return config;
}

unsigned mode_of(const std::string& path) {
  struct ::stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  return info.st_mode & 07777U;
}

}  // namespace

TEST_CASE("places are made with their modes, whatever the umask") {
  const TemporaryDirectory directory;
  const auto config = config_in(directory);
  const auto old_mask = ::umask(077);
  const auto made = make_places(config);
  const auto sockets = listen_all(config);
  ::umask(old_mask);
  REQUIRE(made.has_value());
  REQUIRE(sockets.has_value());
  CHECK(mode_of(config.run_dir) == 0755);
  CHECK(mode_of(config.state_dir) == 0700);
  CHECK(mode_of(config.socket.path) == 0660);
  CHECK(mode_of(config.uplink.path) == 0600);
  ::chmod(config.state_dir.c_str(), 0755);
  CHECK(make_places(config).has_value());
  CHECK(mode_of(config.state_dir) == 0700);
}

TEST_CASE("only the last component of the run directory is made") {
  const TemporaryDirectory directory;
  auto config = config_in(directory);
  config.run_dir = directory / "not/there";
  const auto made = make_places(config);
  REQUIRE_FALSE(made.has_value());
  CHECK(exit_code_of(made.error()) == 73);
  CHECK(made.error().message.find("not/there") != std::string::npos);
}

TEST_CASE("a parent that others may write to is refused with 78") {
  const TemporaryDirectory directory;
  const auto config = config_in(directory);
  ::chmod(directory.path().c_str(), 0777);
  const auto made = make_places(config);
  REQUIRE_FALSE(made.has_value());
  CHECK(exit_code_of(made.error()) == 78);
  ::chmod(directory.path().c_str(), 01777);
  CHECK(make_places(config).has_value());
}

TEST_CASE("a file in a directory's place is refused") {
  const TemporaryDirectory directory;
  directory.write("run", "a file");
  const auto made = make_places(config_in(directory));
  REQUIRE_FALSE(made.has_value());
  CHECK(exit_code_of(made.error()) == 78);
}

TEST_CASE("a second controller on one state directory is refused with 69 and the pid") {
  const TemporaryDirectory directory;
  const auto config = config_in(directory);
  REQUIRE(make_places(config).has_value());
  const auto first = lock_state(config);
  REQUIRE(first.has_value());
  const auto second = lock_state(config);
  REQUIRE_FALSE(second.has_value());
  CHECK(exit_code_of(second.error()) == 69);
  CHECK(second.error().message.find(std::to_string(::getpid())) != std::string::npos);
}

TEST_CASE("a live socket of another instance is not taken over, a path too long is configuration") {
  const TemporaryDirectory directory;
  auto config = config_in(directory);
  REQUIRE(make_places(config).has_value());
  const auto first = listen_all(config);
  REQUIRE(first.has_value());
  const auto second = listen_all(config);
  REQUIRE_FALSE(second.has_value());
  CHECK(exit_code_of(second.error()) == 69);
  config.socket.path = directory / std::string(120, 's');
  const auto too_long = listen_all(config);
  REQUIRE_FALSE(too_long.has_value());
  CHECK(exit_code_of(too_long.error()) == 78);
}

TEST_CASE("groups are names or numbers, and a group there is not is configuration") {
  CHECK(group_of("", "socket.group").value() == std::nullopt);
  CHECK(group_of("root", "socket.group").value() == gid_t{0});
  CHECK(group_of("4711", "socket.group").value() == gid_t{4711});
  const auto missing = group_of("no-such-group", "socket.group");
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().code == ErrorCode::config);
}

TEST_CASE("admins are uid 0, the daemon's user, and who is configured") {
  const ApiAdmins admins{500, {600}, {700}};
  PeerCredentials peer;
  CHECK_FALSE(caller_of(peer, admins).is_admin);  // not known: no Unix socket
  for (const uid_t uid : {0U, 500U, 600U}) {
    peer.uid = uid;
    CHECK(caller_of(peer, admins).is_admin);
  }
  peer.uid = 601;
  CHECK_FALSE(caller_of(peer, admins).is_admin);
  peer.groups = {700};
  CHECK(caller_of(peer, admins).is_admin);
}
