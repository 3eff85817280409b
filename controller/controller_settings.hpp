// controller_settings.hpp - the configuration in the words of core, API and log. Asks the system
// for groups.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "config/config.hpp"
#include "controller/core/settings.hpp"
#include "controller/io/api/caller.hpp"
#include "runtime/log.hpp"
#include "schemas/result.hpp"

namespace plimsoll {

[[nodiscard]] ControllerSettings settings_of(const ControllerConfig& config);

// config: a group that does not exist.
[[nodiscard]] Result<ApiAdmins> admins_of(const ControllerConfig& config);

// By name or decimal number; nothing for "". `key` names the setting in the error.
[[nodiscard]] Result<std::optional<gid_t>> group_of(const std::string& group,
                                                    const std::string& key);

[[nodiscard]] LogOptions log_options_of(const LogConfig& config);

}  // namespace plimsoll
