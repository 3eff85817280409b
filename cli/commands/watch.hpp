// watch.hpp - `plimsoll watch [BACKUP…]`.
#pragma once

#include "cli/commands.hpp"

namespace plimsoll::cli {

void add_watch(CLI::App& app, CommandLine& line);

}  // namespace plimsoll::cli
