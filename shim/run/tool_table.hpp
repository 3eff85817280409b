// tool_table.hpp - the tools whose output we can read: one row each, explicit, in order.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/result.hpp"
#include "shim/run/tool_parser.hpp"

namespace plimsoll {

// Which of a tool's streams its parser has to see; the others go through untouched.
struct ChosenTool {
  std::string name;  // for the identity: "restic", "percent", "bytes", or "" for one we cannot read
  std::string units = "bytes";
  std::unique_ptr<ToolParser> parser;
  bool read_out = false;
  bool read_err = false;
  std::string hint;               // one line for the person, "" = none
  std::vector<std::string> argv;  // what to run: as given, or with what --auto-flags added
  std::vector<std::string>
      environment;  // NAME=VALUE to add where NAME is not set (--auto-flags only)
};

struct ToolChoice {
  std::string spec;         // --tool; "" = by the name of argv[0]
  bool auto_flags = false;  // the tool may be given the flags it needs to speak
  std::vector<std::string> argv;
  std::int64_t total = 0;  // --total in bytes, 0 = not given
};

// ErrorCode::usage for a spec that is not known or not valid.
[[nodiscard]] Result<ChosenTool> choose_tool(const ToolChoice& choice);

// Where most rows of the table begin: the command as given, and its stderr read.
[[nodiscard]] ChosenTool heard_on_stderr(const ToolChoice& choice);

// The last piece of a path: "/usr/bin/restic" → "restic".
[[nodiscard]] std::string base_name(std::string_view path);

}  // namespace plimsoll
