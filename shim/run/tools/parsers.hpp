// parsers.hpp - how each tool's parser is made; tool_table.cpp is the only place that calls these.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/result.hpp"
#include "shim/run/tool_parser.hpp"

namespace plimsoll {

// restic 0.9 to 0.19, `backup --json` (without --json only its text lines are seen, as
// diagnostics).
[[nodiscard]] std::unique_ptr<ToolParser> make_restic_parser(const std::vector<std::string>& argv);

// rclone's JSON log and its one-line or multi-line statistics.
[[nodiscard]] std::unique_ptr<ToolParser> make_rclone_parser(const std::vector<std::string>& argv);

// borg 1.2, `create --log-json --progress`, on stdout the document of --json.
[[nodiscard]] std::unique_ptr<ToolParser> make_borg_parser(const std::vector<std::string>& argv);

// `percent:REGEX` (group 1 is the percentage) and `bytes:REGEX` (group 1 done, group 2, if there is
// one, the total). ErrorCode::usage: not of that form, no valid regex, or one that could grow out
// of bounds.
[[nodiscard]] Result<std::unique_ptr<ToolParser>> make_pattern_parser(std::string_view spec);

// For a tool whose output nobody reads: only the exit status speaks.
[[nodiscard]] std::unique_ptr<ToolParser> make_silent_parser(const std::string& tool);

}  // namespace plimsoll
