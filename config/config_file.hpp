// config_file.hpp - reads a configuration file if it is one to be trusted.
#pragma once

#include <string>

#include "config/paths.hpp"
#include "schemas/result.hpp"

namespace plimsoll {

// A regular file, at most 64 KiB, owned by root or the daemon's user, not writable by any other
// (a group may write it only if it is root's or the daemon's own). Links are followed: mounted
// ConfigMaps are links. ErrorCode::config.
[[nodiscard]] Result<std::string> read_config_file(const std::string& path, const Environment& env);

}  // namespace plimsoll
