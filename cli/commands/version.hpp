// version.hpp - `plimsoll version`.
#pragma once

#include "cli/commands.hpp"

namespace plimsoll::cli {

void add_version(CLI::App& app, CommandLine& line);

}  // namespace plimsoll::cli
