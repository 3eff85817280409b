// parse_run.hpp - the flags of `plimsoll run`; run.hpp does the work.
#pragma once

#include "cli/commands.hpp"

namespace plimsoll::cli {

void add_run(CLI::App& app, CommandLine& line);

}  // namespace plimsoll::cli
