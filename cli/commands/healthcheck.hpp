// healthcheck.hpp - `plimsoll healthcheck [agent|controller]`.
#pragma once

#include "cli/commands.hpp"

namespace plimsoll::cli {

void add_healthcheck(CLI::App& app, CommandLine& line);

}  // namespace plimsoll::cli
