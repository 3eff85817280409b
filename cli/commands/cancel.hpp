// cancel.hpp - `plimsoll cancel UPLOAD|BACKUP…`.
#pragma once

#include "cli/commands.hpp"

namespace plimsoll::cli {

void add_cancel(CLI::App& app, CommandLine& line);

}  // namespace plimsoll::cli
