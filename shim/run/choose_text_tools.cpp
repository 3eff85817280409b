// choose_text_tools.cpp - see choose_text_tools.hpp.
#include "shim/run/choose_text_tools.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "shim/run/tools/parsers.hpp"

namespace plimsoll {

namespace {

bool says_rsync_progress(const std::string& word) {
  if (word.rfind("--info=", 0) == 0) return word.find("progress") != std::string::npos;
  if (word == "--progress") return true;
  if (word.size() < 2 || word[0] != '-' || word[1] == '-') return false;
  return word.substr(0, word.find_first_of("efBTM@", 1)).find('P') != std::string::npos;
}

bool says_progress2(const std::string& word) {
  return word.rfind("--info=", 0) == 0 && word.find("progress2") != std::string::npos;
}

bool has_word(const std::vector<std::string>& argv, std::string_view start) {
  return std::any_of(argv.begin(), argv.end(), [&](const std::string& word) {
    return word.compare(0, start.size(), start) == 0;
  });
}

// The letter in a cluster of one-letter flags: "-fsT".
bool has_letter(const std::vector<std::string>& argv, char letter) {
  return std::any_of(argv.begin(), argv.end(), [&](const std::string& word) {
    return word.size() > 1 && word[0] == '-' && word[1] != '-' &&
           word.find(letter) != std::string::npos;
  });
}

// A tool that speaks on stderr, and its flag right behind its name where --auto-flags says so.
ChosenTool choose_spoken(const ToolChoice& choice, std::string_view flag, const char* hint) {
  ChosenTool tool = heard_on_stderr(choice);
  if (has_word(tool.argv, flag)) return tool;
  if (choice.auto_flags)
    tool.argv.insert(tool.argv.begin() + 1, std::string(flag));
  else
    tool.hint = hint;
  return tool;
}

}  // namespace

ChosenTool choose_rsync(const ToolChoice& choice) {
  ChosenTool tool = heard_on_stderr(choice);
  tool.read_out = std::any_of(tool.argv.begin(), tool.argv.end(), says_rsync_progress);
  const bool whole = std::any_of(tool.argv.begin(), tool.argv.end(), says_progress2);
  if (choice.auto_flags && !whole) {
    tool.argv.insert(tool.argv.begin() + 1, "--info=progress2");
    tool.read_out = true;
  } else if (!whole) {
    tool.hint =
        "rsync says how far the whole transfer is only with --info=progress2, best together with "
        "--no-inc-recursive (or run --auto-flags): the total stays unknown, the end will be known";
  }
  tool.parser = make_rsync_parser(tool.argv);
  return tool;
}

ChosenTool choose_zstd(const ToolChoice& choice) {
  ChosenTool tool = choose_spoken(choice, "--progress",
                                  "zstd says how far it is only with --progress (or run "
                                  "--auto-flags): progress stays unknown, the end will be known");
  tool.parser = make_zstd_parser(tool.argv);
  return tool;
}

ChosenTool choose_kopia(const ToolChoice& choice) {
  ChosenTool tool = choose_spoken(choice, "--progress",
                                  "kopia says how far it is only with --progress (or run "
                                  "--auto-flags): progress stays unknown, the end will be known");
  tool.parser = make_kopia_parser(tool.argv);
  return tool;
}

// Flags go to the end: the first word may be a cluster without a dash, which takes what follows.
ChosenTool choose_tar(const ToolChoice& choice) {
  ChosenTool tool = heard_on_stderr(choice);
  const bool speaks = has_word(tool.argv, "--checkpoint");
  if (choice.auto_flags && !speaks) {
    const std::vector<std::string> flags = {"--checkpoint=1000",
                                            "--checkpoint-action=echo=%u %{r,w,d}T"};
    const auto end = std::find(tool.argv.begin(), tool.argv.end(), "--");
    tool.argv.insert(end, flags.begin(), flags.end());
  } else if (!speaks) {
    tool.hint =
        "tar says how far it is only with --checkpoint=1000 (or run --auto-flags): "
        "progress stays unknown, the end will be known";
  }
  tool.parser = make_tar_parser(tool.argv);
  return tool;
}

ChosenTool choose_curl(const ToolChoice& choice) {
  ChosenTool tool = heard_on_stderr(choice);
  const bool fails = has_word(tool.argv, "--fail") || has_letter(tool.argv, 'f');
  const bool no_meter = has_word(tool.argv, "--silent") || has_word(tool.argv, "--progress-bar") ||
                        has_word(tool.argv, "--no-progress-meter") || has_word(tool.argv, "-s") ||
                        has_word(tool.argv, "-#");
  if (choice.auto_flags && !fails) tool.argv.insert(tool.argv.begin() + 1, "--fail");
  if (!choice.auto_flags && !fails)
    tool.hint =
        "curl ends with 0 when the server refuses the upload, unless --fail is given "
        "(or run --auto-flags): this upload may read as done and be none";
  else if (no_meter)
    tool.hint =
        "curl says how far it is only with its meter (without -s and -#): "
        "progress stays unknown, the end will be known";
  tool.parser = make_curl_parser(tool.argv);
  return tool;
}

ChosenTool choose_rbd(const ToolChoice& choice) {
  ChosenTool tool;
  tool.argv = choice.argv;
  tool.units = "percent";
  tool.read_err = true;
  if (has_word(tool.argv, "--no-progress"))
    tool.hint =
        "rbd says nothing with --no-progress: progress stays unknown, the end will be known";
  tool.parser = make_rbd_parser(tool.argv);
  return tool;
}

// Its stdout is read for uploads only: `aws s3 cp s3://… -` writes the object there.
ChosenTool choose_aws(const ToolChoice& choice) {
  ChosenTool tool = heard_on_stderr(choice);
  const bool pipe = std::find(tool.argv.begin(), tool.argv.end(), "-") != tool.argv.end();
  const bool s3 = std::find(tool.argv.begin(), tool.argv.end(), "s3") != tool.argv.end();
  const bool quiet = has_word(tool.argv, "--quiet") || has_word(tool.argv, "--no-progress") ||
                     has_word(tool.argv, "--only-show-errors");
  tool.read_out = s3 && !pipe && !quiet;
  if (!tool.read_out)
    tool.hint =
        "aws says how far it is only for s3 cp, mv and sync of files, without --no-progress and "
        "--quiet: progress stays unknown, the end will be known";
  tool.parser = make_aws_parser(tool.argv);
  return tool;
}

ChosenTool choose_zfs(const ToolChoice& choice) {
  ChosenTool tool = heard_on_stderr(choice);
  const bool speaks = has_letter(tool.argv, 'v') || has_word(tool.argv, "--verbose");
  const auto send = std::find(tool.argv.begin(), tool.argv.end(), "send");
  if (choice.auto_flags && !speaks && send != tool.argv.end())
    tool.argv.insert(send + 1, "-vP");
  else if (!speaks)
    tool.hint =
        "zfs says how far it is only with send -v (or run --auto-flags): "
        "progress stays unknown, the end will be known";
  tool.parser = make_zfs_parser(tool.argv);
  return tool;
}

}  // namespace plimsoll
