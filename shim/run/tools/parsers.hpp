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

// rsync 3: --info=progress2 (the whole transfer) or --progress/-P (file by file, no total).
[[nodiscard]] std::unique_ptr<ToolParser> make_rsync_parser(const std::vector<std::string>& argv);

// zstd 1.5, --progress (it is on by itself only at a terminal).
[[nodiscard]] std::unique_ptr<ToolParser> make_zstd_parser(const std::vector<std::string>& argv);

// GNU tar, --checkpoint=N, bytes with --checkpoint-action='echo=%u %{r,w,d}T'; no total.
[[nodiscard]] std::unique_ptr<ToolParser> make_tar_parser(const std::vector<std::string>& argv);

// curl -T: the meter, not the bar.
[[nodiscard]] std::unique_ptr<ToolParser> make_curl_parser(const std::vector<std::string>& argv);

// kopia from 0.17 on, `snapshot create --progress`.
[[nodiscard]] std::unique_ptr<ToolParser> make_kopia_parser(const std::vector<std::string>& argv);

// rbd export; the units are percent.
[[nodiscard]] std::unique_ptr<ToolParser> make_rbd_parser(const std::vector<std::string>& argv);

// aws s3 cp, mv and sync, version 1.
[[nodiscard]] std::unique_ptr<ToolParser> make_aws_parser(const std::vector<std::string>& argv);

// zfs send -v and -vP.
[[nodiscard]] std::unique_ptr<ToolParser> make_zfs_parser(const std::vector<std::string>& argv);

// `percent:REGEX` (group 1 is the percentage) and `bytes:REGEX` (group 1 done, group 2, if there is
// one, the total). ErrorCode::usage: not of that form, no valid regex, or one that could grow out
// of bounds.
[[nodiscard]] Result<std::unique_ptr<ToolParser>> make_pattern_parser(std::string_view spec);

// For a tool whose output nobody reads: only the exit status speaks.
[[nodiscard]] std::unique_ptr<ToolParser> make_silent_parser(const std::string& tool);

}  // namespace plimsoll
