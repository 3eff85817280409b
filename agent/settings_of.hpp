// settings_of.hpp - the configuration as each part of the agent wants it.
#pragma once

#include "agent/core/agent_settings.hpp"
#include "agent/io/access.hpp"
#include "agent/io/segment_discovery.hpp"
#include "config/config.hpp"
#include "runtime/log.hpp"
#include "schemas/result.hpp"

namespace plimsoll {

// Without boot and agent id, which are the process's.
[[nodiscard]] AgentSettings agent_settings(const AgentConfig& config);

// ErrorCode::config for a group that does not exist.
[[nodiscard]] Result<DiscoverySettings> discovery_settings(const AgentConfig& config);
[[nodiscard]] Result<AccessRules> access_rules(const AdminsConfig& admins);

[[nodiscard]] LogOptions log_options(const AgentConfig& config);

}  // namespace plimsoll
