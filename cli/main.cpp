// main.cpp - parses the command line, runs the one command that it names, and tells if stdout
// failed.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "cli/amounts.hpp"
#include "cli/commands.hpp"
#include "cli/help.hpp"
#include "cli/session.hpp"
#include "schemas/text.hpp"

namespace plimsoll::cli {
namespace {

constexpr int kUsage = 2;
constexpr int kOutputFailed = 1;

void add_global_flags(CLI::App& app, GlobalOptions& options) {
  app.add_option("--run-dir", options.run_dir, "where the daemons' sockets are")
      ->type_name("DIR")
      ->take_last();
  app.add_option("--controller", options.controller, "the controller's socket")
      ->type_name("SOCK")
      ->take_last();
  app.add_flag("--agent{" + std::string(kFoundAgent) + "}", options.agent,
               "ask this node's agent; --agent=SOCK names its socket")
      ->take_last();
  app.add_option_function<std::string>(
         "-o",
         [&options](const std::string& word) {
           options.format = word == "wide"   ? Format::wide
                            : word == "json" ? Format::json
                            : word == "yaml" ? Format::yaml
                            : word == "name" ? Format::name
                                             : Format::table;
         },
         "how to print (default: table)")
      ->type_name("table|wide|json|yaml|name")
      ->check(CLI::IsMember({"table", "wide", "json", "yaml", "name"}))
      ->take_last();
  app.add_flag("--no-headers", options.no_headers, "tables without headings");
  app.add_option("--color", options.color, "default: auto; NO_COLOR and CLICOLOR_FORCE are heeded")
      ->type_name("auto|always|never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->take_last();
  app.add_option_function<std::string>(
         "--timeout",
         [&options](const std::string& text) {
           options.timeout = *parse_duration(text);
           options.timeout_given = true;
         },
         "for an answer (default: 10s); of wait and watch, for the whole")
      ->type_name("D")
      ->check([](const std::string& text) {
        return parse_duration(text) ? std::string() : "not a duration like 10s or 2m: " + text;
      })
      ->take_last();
  app.add_flag("-q,--quiet", options.quiet, "say nothing but errors and data");
}

// The tool's own arguments must reach it untouched: all behind the first "--" of `run` is cut off.
std::vector<std::string> split_off_tool(int argc, char** argv, CommandLine& line) {
  std::vector<std::string> ours(argv + 1, argv + argc);
  const auto mark = std::find(ours.begin(), ours.end(), "--");
  const bool is_run = std::find(ours.begin(), mark, "run") != mark;
  if (!is_run || mark == ours.end()) return ours;
  line.tool_command.assign(mark + 1, ours.end());
  ours.erase(mark, ours.end());
  return ours;
}

// The command that was meant: the deepest that the parser reached.
const CLI::App& deepest(const CLI::App& app) {
  const auto inner = app.get_subcommands();
  return inner.empty() ? app : deepest(*inner.front());
}

// The parser speaks of what it misses first; what it could not place tells people more.
int usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const auto& command = deepest(app);
  auto what = full_name(command) + ": " + error.what();
  std::string hint = "see " + full_name(command) + " --help";
  const auto strangers = app.remaining(true);
  if (!strangers.empty()) {
    const auto& word = strangers.front();
    what = full_name(command) + ": do not know " + plimsoll::quoted(word);
    const auto near = nearest_word(word, known_words(command));
    if (!near.empty()) hint = "did you mean " + near + "? " + hint;
  } else if (error.get_name() == "RequiredError" && !command.get_subcommands({}).empty()) {
    what = full_name(command) + ": a command is missing";
  }
  std::fprintf(stderr, "%s\n  hint: %s\n", escape_text(what).c_str(), escape_text(hint).c_str());
  return kUsage;
}

// 0 and done; nothing: go on.
int parse(CLI::App& app, std::vector<std::string> arguments, bool& finished) {
  finished = true;
  try {
    std::reverse(arguments.begin(), arguments.end());  // the parser wants the last one first
    app.parse(std::move(arguments));
  } catch (const CLI::CallForVersion& version) {
    std::printf("%s\n", version.what());
    return 0;
  } catch (const CLI::Success&) {
    std::fputs(help_text(deepest(app)).c_str(), stdout);
    return 0;
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error);
  }
  finished = false;
  return 0;
}

int flush(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::fprintf(stderr, "plimsoll: write to stdout: %s\n", std::strerror(errno));
  return code == 0 ? kOutputFailed : code;
}

int run(int argc, char** argv) {
  CommandLine line;
  CLI::App app("how far every snapshot's upload has got, and whether it is safe", "plimsoll");
  app.set_version_flag("--version", std::string("plimsoll ") + PLIMSOLL_VERSION,
                       "print the version and exit");
  app.fallthrough();
  app.require_subcommand(1);
  add_global_flags(app, line.global);
  for (const auto& command : commands())
    add_command(app, command, line);
  app.footer(
      "Examples:\n  plimsoll get backups\n  plimsoll watch\n"
      "\nMore about one command: plimsoll COMMAND --help");
  bool finished = false;
  const int code = parse(app, split_off_tool(argc, argv, line), finished);
  if (finished) return flush(code);
  Session session(line.global, read_environment());
  return flush(line.chosen()(session));
}

}  // namespace
}  // namespace plimsoll::cli

int main(int argc, char** argv) {
  try {
    return plimsoll::cli::run(argc, argv);
  } catch (const std::exception& error) {  // out of memory, and what else nobody expects
    std::fprintf(stderr, "plimsoll: internal error: %s\n", error.what());
    return 1;
  }
}
