// paths.cpp - where the run and state directories are.
#include "config/paths.hpp"

#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "schemas/text.hpp"

namespace plimsoll {
namespace {

constexpr std::size_t kMaxPathBytes = 4096;

// Not `quoted` by name alone: <filesystem> brings std::quoted, which the compiler would take for a
// path.
std::string in_quotes(std::string_view text) {
  return plimsoll::quoted(text);
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// "" where there is no such directory to name: an unset or relative variable counts as unset.
std::string below(const std::string& directory, std::string_view name) {
  if (directory.empty() || directory.front() != '/') return "";
  return directory + "/" + std::string(name);
}

bool owned_by(const std::string& path, uid_t uid) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == uid;
}

bool is_directory(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

Result<std::string> from_flag(std::string_view name, const std::string& value) {
  std::error_code error;
  const auto path = std::filesystem::absolute(value, error).lexically_normal().string();
  if (error || path.size() > kMaxPathBytes)
    return fail(ErrorCode::config,
                std::string(name) + " " + in_quotes(value) + ": not a usable path");
  return path.size() > 1 && path.back() == '/' ? path.substr(0, path.size() - 1) : path;
}

Result<std::string> from_variable(std::string_view name, const std::string& value) {
  if (value.front() != '/')
    return fail(ErrorCode::config,
                std::string(name) + " " + in_quotes(value) + ": not an absolute path",
                "begin it with '/'");
  return from_flag(name, value);
}

// The run directory that flag or variable names; "" = neither was given.
Result<std::string> given_run_dir(const std::string& flag, const Environment& env) {
  if (!flag.empty()) return from_flag("--run-dir", flag);
  if (!env.plimsoll_run_dir.empty()) return from_variable("PLIMSOLL_RUN_DIR", env.plimsoll_run_dir);
  return std::string();
}

// In the order in which they are tried, each once.
std::vector<std::string> run_places(const Environment& env) {
  std::vector<std::string> places = {env.system_run_dir};
  const auto uid_dir = below(env.user_run_root, std::to_string(env.uid));
  for (const auto& place : {below(env.xdg_runtime_dir, "plimsoll"), below(uid_dir, "plimsoll")})
    if (!place.empty() && std::find(places.begin(), places.end(), place) == places.end())
      places.push_back(place);
  return places;
}

std::string listed(const std::vector<std::string>& places, std::string_view suffix) {
  std::string text;
  for (const auto& place : places)
    text += (text.empty() ? "" : ", ") + in_quotes(place + std::string(suffix));
  return text;
}

}  // namespace

Environment read_environment() {
  Environment env;
  env.plimsoll_run_dir = variable("PLIMSOLL_RUN_DIR");
  env.plimsoll_state_dir = variable("PLIMSOLL_STATE_DIR");
  env.xdg_runtime_dir = variable("XDG_RUNTIME_DIR");
  env.xdg_state_home = variable("XDG_STATE_HOME");
  env.home = variable("HOME");
  env.node_name = variable("NODE_NAME");
  env.uid = geteuid();
  env.gid = getegid();
  struct utsname host {};
  if (uname(&host) == 0) env.host_name = host.nodename;
  return env;
}

Result<std::string> daemon_run_dir(const std::string& flag, const Environment& env,
                                   const std::string& from_config) {
  auto given = given_run_dir(flag, env);
  if (!given || !given->empty()) return given;
  if (!from_config.empty()) return from_config;
  if (env.uid == 0 || owned_by(env.system_run_dir, env.uid)) return env.system_run_dir;
  const auto xdg = below(env.xdg_runtime_dir, "plimsoll");
  if (!xdg.empty()) return xdg;
  const auto uid_dir = below(env.user_run_root, std::to_string(env.uid));
  if (is_directory(uid_dir)) return uid_dir + "/plimsoll";
  return fail(ErrorCode::config,
              "find the run directory: " + in_quotes(env.system_run_dir) + " is not owned by uid " +
                  std::to_string(env.uid) + ", XDG_RUNTIME_DIR is not set and " +
                  in_quotes(uid_dir) + " does not exist",
              "name a directory with --run-dir or PLIMSOLL_RUN_DIR");
}

Result<std::string> daemon_state_dir(const std::string& flag, const Environment& env) {
  if (!flag.empty()) return from_flag("--state-dir", flag);
  if (!env.plimsoll_state_dir.empty())
    return from_variable("PLIMSOLL_STATE_DIR", env.plimsoll_state_dir);
  if (env.uid == 0 || owned_by(env.system_state_dir, env.uid)) return env.system_state_dir;
  for (const auto& place :
       {below(env.xdg_state_home, "plimsoll"), below(env.home, ".local/state/plimsoll")})
    if (!place.empty()) return place;
  return fail(ErrorCode::config,
              "find the state directory: " + in_quotes(env.system_state_dir) +
                  " is not owned by uid " + std::to_string(env.uid) +
                  ", and neither XDG_STATE_HOME nor HOME is set",
              "name a directory with --state-dir or PLIMSOLL_STATE_DIR");
}

Result<std::string> client_run_dir(const std::string& flag, const Environment& env,
                                   std::string_view socket_name) {
  auto given = given_run_dir(flag, env);
  if (!given || !given->empty()) return given;
  const auto places = run_places(env);
  for (const auto& place : places) {
    struct stat info {};
    const auto path = place + "/" + std::string(socket_name);
    if (stat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode)) return place;
  }
  return fail(ErrorCode::unreachable,
              "find a daemon's socket: none of " + listed(places, "/" + std::string(socket_name)) +
                  " is there",
              "start the daemon, or name its run directory with --run-dir or PLIMSOLL_RUN_DIR");
}

Result<std::string> mover_run_dir(const std::string& flag, const Environment& env) {
  auto given = given_run_dir(flag, env);
  if (!given || !given->empty()) return given;
  const auto places = run_places(env);
  for (const auto& place : places) {
    const auto segments = place + "/segments";
    if (is_directory(segments) && access(segments.c_str(), W_OK | X_OK) == 0) return place;
  }
  return fail(ErrorCode::not_found,
              "find a directory for segments: none of " + listed(places, "/segments") +
                  " is there and writable",
              "start plimsoll-agent, join the group plimsoll, or name its run directory with "
              "--run-dir or PLIMSOLL_RUN_DIR");
}

}  // namespace plimsoll
