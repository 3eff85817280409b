// run.hpp - `plimsoll run … -- COMMAND`: runs an unmodified tool and reports for it.
// To the tool and to whoever called us it is as if the wrapper were not there: bytes, signals,
// environment, exit status. Exit: the tool's; 126 or 127 if it could not be started; 2 for a usage
// error, before that.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/session.hpp"
#include "schemas/time.hpp"

namespace plimsoll::cli {

struct RunOptions {
  std::string backup;  // "" = TOOL-YYYYMMDDtHHMMSSz
  std::string item;    // "" = paths/CWD-as-dashes
  std::string snapshot_id;
  std::string volume_id;
  std::string part;
  std::uint32_t parts = 0;
  std::uint32_t attempt = 0;
  std::string total;  // BYTES or PATH, "" = not said
  std::string tool;   // restic, rclone, …, percent:REGEX, bytes:REGEX, "" = by the command's name
  std::vector<std::string> labels;
  milliseconds grace{10'000};
  bool auto_flags = false;
  std::string pty = "auto";  // auto, never; always is refused: no pseudo-terminals in this version
  bool no_seal = false;
  std::vector<std::string> command;
};

// Does not return if the tool died of a signal: then so does this process, last of all.
[[nodiscard]] int run_tool(const Session& session, const RunOptions& options);

}  // namespace plimsoll::cli
