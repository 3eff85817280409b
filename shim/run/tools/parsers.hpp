// parsers.hpp - how each tool's parser is made; called only by tool_table.cpp and
// choose_text_tools.cpp.
#pragma once

#include <cstdint>
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

// rclone's JSON log and its one-line or multi-line statistics.
[[nodiscard]] std::unique_ptr<ToolParser> make_rclone_parser(const std::vector<std::string>& argv);

// borg 1.2, `create --log-json --progress`, on stdout the document of --json.
[[nodiscard]] std::unique_ptr<ToolParser> make_borg_parser(const std::vector<std::string>& argv);

// qemu-img with -p. `size_bytes` is the source's, 0 = not known: then it counts percent, of 100.
[[nodiscard]] std::unique_ptr<ToolParser> make_qemu_img_parser(std::int64_t size_bytes);

// dd, with status=progress or with the report at its end only.
[[nodiscard]] std::unique_ptr<ToolParser> make_dd_parser();

// What pv's arguments say about the numbers that it will print.
struct PvFlags {
  bool numeric = false;   // -n: without it there are bars, which nobody reads
  bool bytes = false;     // -b: a count and no percentage
  bool timer = false;     // -t: seconds before each number
  bool lines = false;     // -l: it counts lines
  bool has_file = false;  // it knows the size of its input
  std::int64_t size = 0;  // -s, 0 = not given

  // A percentage of nothing wanders; a count is always one.
  [[nodiscard]] bool usable() const { return bytes || has_file || size > 0; }
};
[[nodiscard]] PvFlags read_pv_flags(const std::vector<std::string>& argv);
[[nodiscard]] std::string pv_units(const PvFlags& flags, std::int64_t total);

// `total` in bytes is --total's, 0 = not given; it goes before -s.
[[nodiscard]] std::unique_ptr<ToolParser> make_pv_parser(const PvFlags& flags, std::int64_t total);

// `percent:REGEX` (group 1 is the percentage) and `bytes:REGEX` (group 1 done, group 2, if there is
// one, the total). ErrorCode::usage: not of that form, no valid regex, or one that could grow out
// of bounds.
[[nodiscard]] Result<std::unique_ptr<ToolParser>> make_pattern_parser(std::string_view spec);

// For a tool whose output nobody reads: only the exit status speaks.
[[nodiscard]] std::unique_ptr<ToolParser> make_silent_parser(const std::string& tool);

}  // namespace plimsoll
