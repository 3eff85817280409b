// choose_text_tools.hpp - how the tools that print lines for people are to be run and read; rows of
// tool_table.cpp.
#pragma once

#include "shim/run/tool_table.hpp"

namespace plimsoll {

[[nodiscard]] ChosenTool choose_rsync(const ToolChoice& choice);
[[nodiscard]] ChosenTool choose_zstd(const ToolChoice& choice);
[[nodiscard]] ChosenTool choose_tar(const ToolChoice& choice);
[[nodiscard]] ChosenTool choose_curl(const ToolChoice& choice);
[[nodiscard]] ChosenTool choose_kopia(const ToolChoice& choice);
[[nodiscard]] ChosenTool choose_rbd(const ToolChoice& choice);
[[nodiscard]] ChosenTool choose_aws(const ToolChoice& choice);
[[nodiscard]] ChosenTool choose_zfs(const ToolChoice& choice);

}  // namespace plimsoll
