// describe.hpp - `plimsoll describe backup|upload NAME`.
#pragma once

#include "cli/commands.hpp"

namespace plimsoll::cli {

void add_describe(CLI::App& app, CommandLine& line);

}  // namespace plimsoll::cli
