// check.hpp - what a configuration must be as a whole: values that only make sense together. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/config.hpp"

namespace plimsoll {

// The key at fault and what is wrong, for a configuration in which every place is filled in.
using Conflict = std::pair<std::string, std::string>;

[[nodiscard]] std::vector<Conflict> find_conflicts(const AgentConfig& config);
[[nodiscard]] std::vector<Conflict> find_conflicts(const ControllerConfig& config);

}  // namespace plimsoll
