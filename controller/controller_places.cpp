// controller_places.cpp - see controller_places.hpp.
#include "controller/controller_places.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "controller/controller_settings.hpp"
#include "runtime/errno_error.hpp"
#include "runtime/modes.hpp"
#include "runtime/socket/unix_socket.hpp"

namespace plimsoll {
namespace {

constexpr mode_t kRunMode = 0755;
constexpr mode_t kStateMode = 0700;
constexpr mode_t kGroupSocketMode = 0660;
constexpr mode_t kOwnSocketMode = 0600;

Failure cannot_create(const std::string& path, int error_number) {
  auto error = errno_error("make directory '" + path + "'", error_number);
  if (error.code != ErrorCode::permission) error.code = ErrorCode::cannot_create;
  if (error.hint.empty()) error.hint = "make it, or choose another with --run-dir or --state-dir";
  return fail(std::move(error));
}

Result<void> make_directory(const std::string& path, mode_t mode) {
  // chmod, because mkdir's mode goes through the umask.
  if (::mkdir(path.c_str(), mode) == 0) {
    if (::chmod(path.c_str(), mode) == 0) return {};
    return cannot_create(path, errno);
  }
  if (errno != EEXIST) return cannot_create(path, errno);
  struct ::stat info {};
  if (::stat(path.c_str(), &info) != 0) return cannot_create(path, errno);
  if (S_ISDIR(info.st_mode)) return {};
  return fail(ErrorCode::config, "'" + path + "' is there and no directory");
}

// The state directory may be several levels below what exists (~/.local/state of a new user).
Result<void> make_state_directory(const std::string& path) {
  for (auto slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1))
    if (auto made = make_directory(path.substr(0, slash), kStateMode); !made) return made;
  if (auto made = make_directory(path, kStateMode); !made) return made;
  struct ::stat info {};
  if (::stat(path.c_str(), &info) != 0) return errno_failure("look at '" + path + "'", errno);
  const bool open_to_others = (info.st_mode & 077U) != 0;
  if (open_to_others && info.st_uid == ::geteuid() && ::chmod(path.c_str(), kStateMode) != 0)
    return errno_failure("close '" + path + "' to others", errno);
  return {};
}

}  // namespace

Result<void> make_places(const ControllerConfig& config) {
  for (const auto& path : {config.run_dir, config.state_dir, config.store_sqlite})
    if (auto safe = check_parents_safe(path); !safe) return safe;
  if (auto made = make_directory(config.run_dir, kRunMode); !made) return made;
  return make_state_directory(config.state_dir);
}

Result<LockFile> lock_state(const ControllerConfig& config) {
  auto lock = LockFile::take(config.state_dir + "/controller.lock");
  if (lock || lock.error().code != ErrorCode::address_in_use) return lock;
  auto error = lock.error();
  error.hint = "another controller works on this state directory; stop it, or use --state-dir";
  return fail(std::move(error));
}

Result<ControllerSockets> listen_all(const ControllerConfig& config) {
  const auto api_group = group_of(config.socket.group, "socket.group");
  if (!api_group) return fail(api_group.error());
  const auto uplink_group = group_of(config.uplink.group, "uplink.group");
  if (!uplink_group) return fail(uplink_group.error());
  auto api = listen_unix(config.socket.path, kGroupSocketMode, *api_group);
  if (!api) return fail(api.error());
  auto uplink = listen_unix(config.uplink.path, *uplink_group ? kGroupSocketMode : kOwnSocketMode,
                            *uplink_group);
  if (!uplink) return fail(uplink.error());
  return ControllerSockets{std::move(*api), std::move(*uplink)};
}

void unlink_all(const ControllerConfig& config) {
  unlink_socket(config.socket.path);
  unlink_socket(config.uplink.path);
}

}  // namespace plimsoll
