// get.hpp - `plimsoll get uploads|backups|nodes [NAME…]`.
#pragma once

#include "cli/commands.hpp"

namespace plimsoll::cli {

void add_get(CLI::App& app, CommandLine& line);

}  // namespace plimsoll::cli
