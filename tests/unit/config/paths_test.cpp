// paths_test.cpp - RUN and STATE for daemons, clients and movers, in the documented order.
#include "config/paths.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "tests/unit/config/temp_dir.hpp"

using namespace plimsoll;
using test::TempDir;

namespace {

// All places below one temporary directory; the user is not root and owns nothing yet.
Environment places_in(const TempDir& dir) {
  Environment env;
  env.uid = 4711;
  env.system_run_dir = dir.path() + "/run/plimsoll";
  env.system_state_dir = dir.path() + "/var/plimsoll";
  env.user_run_root = dir.path() + "/user";
  return env;
}

void make_socket(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  REQUIRE(fd >= 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  REQUIRE(path.size() < sizeof(address.sun_path));
  std::memcpy(address.sun_path, path.c_str(), path.size());
  REQUIRE(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
  close(fd);
}

}  // namespace

TEST_CASE("a daemon's run directory: flag, variable, file, system, XDG, user") {
  const TempDir dir;
  auto env = places_in(dir);
  const auto none = daemon_run_dir("", env);
  REQUIRE_FALSE(none.has_value());
  CHECK(none.error().code == ErrorCode::config);
  for (const auto& place :
       {env.system_run_dir, dir.path() + "/user/4711", std::string("XDG_RUNTIME_DIR")})
    CHECK(none.error().message.find(place) != std::string::npos);

  (void)dir.make_dir("user/4711");
  CHECK(daemon_run_dir("", env) == dir.path() + "/user/4711/plimsoll");
  env.xdg_runtime_dir = "relative";
  CHECK(daemon_run_dir("", env) == dir.path() + "/user/4711/plimsoll");
  env.xdg_runtime_dir = "/xdg";
  CHECK(daemon_run_dir("", env) == "/xdg/plimsoll");
  CHECK(daemon_run_dir("", env, "/file") == "/file");
  env.plimsoll_run_dir = "/env/";
  CHECK(daemon_run_dir("", env, "/file") == "/env");
  CHECK(daemon_run_dir("/flag", env, "/file") == "/flag");
  CHECK(daemon_run_dir("here", env) == std::filesystem::current_path().string() + "/here");
  env.plimsoll_run_dir = "relative";
  REQUIRE_FALSE(daemon_run_dir("", env).has_value());
  CHECK(daemon_run_dir("", env).error().message.find("PLIMSOLL_RUN_DIR") != std::string::npos);
}

TEST_CASE("root and the owner of the system's place use it") {
  const TempDir dir;
  auto env = places_in(dir);
  env.xdg_runtime_dir = "/xdg";
  env.uid = 0;
  CHECK(daemon_run_dir("", env) == env.system_run_dir);
  CHECK(daemon_state_dir("", env) == env.system_state_dir);
  env.uid = geteuid() == 0 ? 4711 : geteuid();
  const auto run = dir.make_dir("run/plimsoll");
  const auto state = dir.make_dir("var/plimsoll");
  if (geteuid() == 0) {
    CHECK(daemon_run_dir("", env) == "/xdg/plimsoll");
    REQUIRE(chown(run.c_str(), env.uid, env.gid) == 0);
    REQUIRE(chown(state.c_str(), env.uid, env.gid) == 0);
  }
  CHECK(daemon_run_dir("", env) == run);
  CHECK(daemon_state_dir("", env) == state);
}

TEST_CASE("a daemon's state directory: flag, variable, system, XDG, home") {
  const TempDir dir;
  auto env = places_in(dir);
  const auto none = daemon_state_dir("", env);
  REQUIRE_FALSE(none.has_value());
  CHECK(none.error().message.find(env.system_state_dir) != std::string::npos);
  CHECK(none.error().hint.find("--state-dir") != std::string::npos);
  env.home = "/home/p";
  CHECK(daemon_state_dir("", env) == "/home/p/.local/state/plimsoll");
  env.xdg_state_home = "/xdg";
  CHECK(daemon_state_dir("", env) == "/xdg/plimsoll");
  env.plimsoll_state_dir = "/env";
  CHECK(daemon_state_dir("", env) == "/env");
  CHECK(daemon_state_dir("/flag", env) == "/flag");
}

TEST_CASE("a client takes the first place whose socket is there and names them all if none is") {
  const TempDir dir;
  auto env = places_in(dir);
  env.xdg_runtime_dir = dir.make_dir("xdg");
  const auto none = client_run_dir("", env, "controller.sock");
  REQUIRE_FALSE(none.has_value());
  CHECK(none.error().code == ErrorCode::unreachable);
  for (const auto& place :
       {env.system_run_dir, dir.path() + "/xdg/plimsoll", dir.path() + "/user/4711/plimsoll"})
    CHECK(none.error().message.find(place + "/controller.sock") != std::string::npos);

  make_socket(dir.make_dir("user/4711/plimsoll") + "/controller.sock");
  CHECK(client_run_dir("", env, "controller.sock") == dir.path() + "/user/4711/plimsoll");
  (void)dir.make_dir("xdg/plimsoll");
  (void)dir.make_file("xdg/plimsoll/controller.sock", "no socket");
  CHECK(client_run_dir("", env, "controller.sock") == dir.path() + "/user/4711/plimsoll");
  make_socket(dir.make_dir("run/plimsoll") + "/controller.sock");
  CHECK(client_run_dir("", env, "controller.sock") == env.system_run_dir);
  CHECK_FALSE(client_run_dir("", env, "agent.sock").has_value());
  CHECK(client_run_dir("/flag", env, "agent.sock") == "/flag");
  env.plimsoll_run_dir = "/env";
  CHECK(client_run_dir("", env, "agent.sock") == "/env");
}

TEST_CASE("a mover takes the first place whose segments directory it can write to") {
  const TempDir dir;
  auto env = places_in(dir);
  env.xdg_runtime_dir = dir.path() + "/xdg";
  const auto none = mover_run_dir("", env);
  REQUIRE_FALSE(none.has_value());
  CHECK(none.error().message.find(env.system_run_dir + "/segments") != std::string::npos);
  (void)dir.make_file("xdg", "");
  (void)dir.make_dir("user/4711/plimsoll/segments");
  CHECK(mover_run_dir("", env) == dir.path() + "/user/4711/plimsoll");
  const auto system = dir.make_dir("run/plimsoll/segments", 0555);
  if (geteuid() != 0) CHECK(mover_run_dir("", env) == dir.path() + "/user/4711/plimsoll");
  REQUIRE(chmod(system.c_str(), 0755) == 0);
  CHECK(mover_run_dir("", env) == env.system_run_dir);
  CHECK(mover_run_dir("/flag", env) == "/flag");
}

TEST_CASE("the environment is read from the process") {
  REQUIRE(setenv("PLIMSOLL_RUN_DIR", "/somewhere", 1) == 0);
  REQUIRE(unsetenv("PLIMSOLL_STATE_DIR") == 0);
  const auto env = read_environment();
  REQUIRE(unsetenv("PLIMSOLL_RUN_DIR") == 0);
  CHECK(env.plimsoll_run_dir == "/somewhere");
  CHECK(env.plimsoll_state_dir.empty());
  CHECK(env.uid == geteuid());
  CHECK_FALSE(env.host_name.empty());
}
