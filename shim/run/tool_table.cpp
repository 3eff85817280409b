// tool_table.cpp - see tool_table.hpp. To add a tool: tools/parse_<tool>.cpp, a row here, a
// recording.
#include "shim/run/tool_table.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

#include "schemas/text.hpp"
#include "schemas/text_bounds.hpp"
#include "shim/run/choose_text_tools.hpp"
#include "shim/run/tools/parsers.hpp"

namespace plimsoll {

namespace {

bool says_json(const std::string& word) {
  return word == "--json" || word == "--json=true";
}

// One of `words`, also as WORD=VALUE, is among the arguments.
bool has_word(const std::vector<std::string>& argv, std::initializer_list<std::string_view> words) {
  return std::any_of(argv.begin(), argv.end(), [&](const std::string& word) {
    const std::string_view name = std::string_view(word).substr(0, word.find('='));
    return std::find(words.begin(), words.end(), name) != words.end();
  });
}

void add_after_program(std::vector<std::string>& argv, std::initializer_list<const char*> words) {
  argv.insert(argv.begin() + 1, words.begin(), words.end());
}

ChosenTool choose_restic(const ToolChoice& choice) {
  ChosenTool tool = heard_on_stderr(choice);
  tool.read_out = std::any_of(tool.argv.begin(), tool.argv.end(), says_json);
  if (choice.auto_flags) {
    if (!tool.read_out) tool.argv.insert(tool.argv.begin() + 1, "--json");
    tool.read_out = true;
    tool.environment = {"RESTIC_PROGRESS_FPS=5"};
  }
  if (!tool.read_out)
    tool.hint =
        "restic says how far it is only with --json (or run --auto-flags): "
        "progress stays unknown, the end will be known";
  tool.parser = make_restic_parser(tool.argv);
  return tool;
}

// Statistics are of level info, which only -v or a statistics level shows.
bool rclone_speaks(const std::vector<std::string>& argv) {
  const bool shown = has_word(argv, {"-v", "-vv", "--verbose", "--stats-log-level", "--log-level"});
  return shown && !has_word(argv, {"--log-file", "--syslog", "-P", "--progress"});
}

ChosenTool choose_rclone(const ToolChoice& choice) {
  ChosenTool tool = heard_on_stderr(choice);
  if (choice.auto_flags) {
    if (!has_word(tool.argv, {"--stats-log-level"}))
      add_after_program(tool.argv, {"--stats-log-level", "NOTICE"});
    if (!has_word(tool.argv, {"--stats"})) add_after_program(tool.argv, {"--stats", "1s"});
    if (!has_word(tool.argv, {"--use-json-log"})) add_after_program(tool.argv, {"--use-json-log"});
  }
  if (!rclone_speaks(tool.argv))
    tool.hint =
        "rclone says how far it is only with --use-json-log --stats 1s --stats-log-level NOTICE "
        "(or run --auto-flags) and neither --progress nor --log-file: "
        "progress stays unknown, the end will be known";
  tool.parser = make_rclone_parser(tool.argv);
  return tool;
}

// borg's document on stdout is for programs: it looks the same on a pipe.
ChosenTool choose_borg(const ToolChoice& choice) {
  ChosenTool tool = heard_on_stderr(choice);
  if (choice.auto_flags) {
    if (!has_word(tool.argv, {"--progress", "-p"})) add_after_program(tool.argv, {"--progress"});
    if (!has_word(tool.argv, {"--log-json"})) add_after_program(tool.argv, {"--log-json"});
  }
  tool.read_out = has_word(tool.argv, {"--json"});
  if (!has_word(tool.argv, {"--progress", "-p"}))
    tool.hint =
        "borg says how far it is only with --log-json --progress (or run --auto-flags): "
        "progress stays unknown, the end will be known";
  else if (choice.total == 0)
    tool.hint = "borg never says how much there is to do: give run --total BYTES or PATH";
  tool.parser = make_borg_parser(tool.argv);
  return tool;
}

// -p, --progress, or -p among other letters that take no value.
bool asks_qemu_img_for_progress(const std::vector<std::string>& argv) {
  return std::any_of(argv.begin(), argv.end(), [](const std::string& word) {
    const bool letters = word.size() > 1 && word.front() == '-' &&
                         word.find_first_not_of("CcnpqUW", 1) == std::string::npos;
    return word == "--progress" || (letters && word.find('p') != std::string::npos);
  });
}

ChosenTool choose_qemu_img(const ToolChoice& choice) {
  ChosenTool tool = heard_on_stderr(choice);
  tool.read_out = asks_qemu_img_for_progress(tool.argv);
  const auto command = std::find(tool.argv.begin(), tool.argv.end(), "convert");
  if (choice.auto_flags && !tool.read_out && command != tool.argv.end()) {
    tool.argv.insert(command + 1, "-p");
    tool.read_out = true;
  }
  if (!tool.read_out)
    tool.hint =
        "qemu-img says how far it is only with -p (or run --auto-flags): "
        "progress stays unknown, the end will be known";
  tool.units = choice.total > 0 ? "bytes" : "percent";
  tool.parser = make_qemu_img_parser(choice.total);
  return tool;
}

ChosenTool choose_dd(const ToolChoice& choice) {
  ChosenTool tool = heard_on_stderr(choice);
  if (choice.auto_flags && !has_word(tool.argv, {"status"})) tool.argv.push_back("status=progress");
  const bool speaks =
      std::find(tool.argv.begin(), tool.argv.end(), "status=progress") != tool.argv.end();
  if (!speaks)
    tool.hint =
        "dd says how far it is only with status=progress (or run --auto-flags): "
        "progress stays unknown, the end will be known";
  tool.parser = make_dd_parser();
  return tool;
}

// A bar is only drawn on a terminal: stderr is left alone unless pv prints numbers.
ChosenTool choose_pv(const ToolChoice& choice) {
  ChosenTool tool;
  tool.argv = choice.argv;
  PvFlags flags = read_pv_flags(tool.argv);
  if (choice.auto_flags && !(flags.numeric && flags.usable())) {
    add_after_program(tool.argv, {"-n", "-b"});
    flags = read_pv_flags(tool.argv);
  }
  tool.read_err = flags.numeric;
  if (!flags.numeric || !flags.usable())
    tool.hint =
        "pv says how far it is only with -n -b, or -n and a size (or run --auto-flags): "
        "progress stays unknown, the end will be known";
  tool.units = pv_units(flags, choice.total);
  tool.parser = make_pv_parser(flags, choice.total);
  return tool;
}

struct Row {
  std::string_view name;  // the basename of argv[0], also "NAME_version" and "NAME-version"
  ChosenTool (*choose)(const ToolChoice& choice);
};

constexpr std::array kTools = {Row{"restic", choose_restic},     Row{"rclone", choose_rclone},
                               Row{"borg", choose_borg},         Row{"pv", choose_pv},
                               Row{"qemu-img", choose_qemu_img}, Row{"dd", choose_dd},
                               Row{"rsync", choose_rsync},       Row{"zstd", choose_zstd},
                               Row{"tar", choose_tar},           Row{"curl", choose_curl},
                               Row{"kopia", choose_kopia},       Row{"rbd", choose_rbd},
                               Row{"aws", choose_aws},           Row{"zfs", choose_zfs}};

bool recognises(const Row& row, std::string_view base) {
  if (base.substr(0, row.name.size()) != row.name) return false;
  return base.size() == row.name.size() || base[row.name.size()] == '_' ||
         base[row.name.size()] == '-';
}

const Row* find_row(const std::string& spec, const std::string& base) {
  for (const Row& row : kTools)
    if (spec.empty() ? recognises(row, base) : row.name == spec) return &row;
  return nullptr;
}

Result<ChosenTool> choose_pattern(const ToolChoice& choice) {
  auto parser = make_pattern_parser(choice.spec);
  if (!parser) return fail(std::move(parser.error()));
  ChosenTool tool;
  tool.argv = choice.argv;
  tool.parser = std::move(*parser);
  tool.name = choice.spec.substr(0, choice.spec.find(':'));
  if (tool.name == "percent") tool.units = "percent";
  tool.read_out = tool.read_err = true;
  return tool;
}

}  // namespace

ChosenTool heard_on_stderr(const ToolChoice& choice) {
  ChosenTool tool;
  tool.argv = choice.argv;
  tool.read_err = true;
  return tool;
}

std::string base_name(std::string_view path) {
  return std::string(path.substr(path.find_last_of('/') + 1));
}

Result<ChosenTool> choose_tool(const ToolChoice& choice) {
  const std::string base = base_name(choice.argv.empty() ? std::string() : choice.argv.front());
  const Row* row = find_row(choice.spec, base);
  if (row != nullptr) {
    ChosenTool tool = row->choose(choice);
    tool.name = row->name;
    return tool;
  }
  if (!choice.spec.empty()) return choose_pattern(choice);
  ChosenTool tool;
  tool.argv = choice.argv;
  tool.parser = make_silent_parser(clean_utf8(base, kMaxToolBytes));
  tool.hint = "the output of " + quoted(base) +
              " is not read (see --tool): progress stays unknown, the end will be known";
  return tool;
}

}  // namespace plimsoll
