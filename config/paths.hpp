// paths.hpp - where the run and state directories are, for daemons, clients and movers.
// Only looks (stat, access); makes nothing. The environment comes in as a value, so tests choose
// it.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "schemas/result.hpp"

namespace plimsoll {

// What the process was given from outside. An unset or empty variable is "".
struct Environment {
  std::string plimsoll_run_dir;
  std::string plimsoll_state_dir;
  std::string xdg_runtime_dir;
  std::string xdg_state_home;
  std::string home;
  std::string node_name;  // NODE_NAME
  std::string host_name;  // uname -n
  uid_t uid = 0;          // effective
  gid_t gid = 0;          // effective, primary
  std::string system_run_dir = "/run/plimsoll";
  std::string system_state_dir = "/var/lib/plimsoll";
  std::string user_run_root = "/run/user";
  std::string config_dir = "/etc/plimsoll";
};

[[nodiscard]] Environment read_environment();

// For a daemon. `flag` is --run-dir (relative to the working directory, or absolute), `from_config`
// the key runDir; "" = not given. First of flag, PLIMSOLL_RUN_DIR, config, the system's place
// (root, or the user who owns it: the unit's), $XDG_RUNTIME_DIR/plimsoll, /run/user/UID/plimsoll.
[[nodiscard]] Result<std::string> daemon_run_dir(const std::string& flag, const Environment& env,
                                                 const std::string& from_config = "");

// --state-dir, PLIMSOLL_STATE_DIR, the system's place (root, or its owner),
// $XDG_STATE_HOME/plimsoll, $HOME/.local/state/plimsoll.
[[nodiscard]] Result<std::string> daemon_state_dir(const std::string& flag, const Environment& env);

// For a client: --run-dir, PLIMSOLL_RUN_DIR, else the first of the same places in which a socket of
// that name exists. ErrorCode::unreachable names every place that was looked at.
[[nodiscard]] Result<std::string> client_run_dir(const std::string& flag, const Environment& env,
                                                 std::string_view socket_name);

// For a mover: --run-dir, PLIMSOLL_RUN_DIR, else the first of the same places whose `segments`
// this process can write to. ErrorCode::not_found names every place that was looked at.
[[nodiscard]] Result<std::string> mover_run_dir(const std::string& flag, const Environment& env);

}  // namespace plimsoll
