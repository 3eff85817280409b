// backup.hpp - `plimsoll backup create|add|seal|delete|wait`.
#pragma once

#include "cli/commands.hpp"

namespace plimsoll::cli {

void add_backup(CLI::App& app, CommandLine& line);

}  // namespace plimsoll::cli
