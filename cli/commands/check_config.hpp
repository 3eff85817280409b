// check_config.hpp - `plimsoll check-config agent|controller`.
#pragma once

#include "cli/commands.hpp"

namespace plimsoll::cli {

void add_check_config(CLI::App& app, CommandLine& line);

}  // namespace plimsoll::cli
