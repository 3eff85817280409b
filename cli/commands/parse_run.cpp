// parse_run.cpp - flags to RunOptions. Everything behind "--" is the tool's and was never parsed.
#include "cli/commands/parse_run.hpp"

#include <CLI/CLI.hpp>

#include "cli/amounts.hpp"
#include "cli/commands/run.hpp"

namespace plimsoll::cli {
namespace {

void add_identity(CLI::App& app, RunOptions& options) {
  app.add_option("--backup", options.backup, "name of the backup (default: TOOL-YYYYMMDDtHHMMSSz)")
      ->type_name("B");
  app.add_option("--item", options.item, "what is backed up (default: paths/CWD-as-dashes)")
      ->type_name("I");
  app.add_option("--snapshot-id", options.snapshot_id, "the source snapshot")->type_name("S");
  app.add_option("--volume-id", options.volume_id, "the storage system's name of the volume")
      ->type_name("V");
  app.add_option("--part", options.part, "this process moves one part of the item")->type_name("P");
  app.add_option("--parts", options.parts, "how many parts there are")->type_name("N");
  app.add_option("--attempt", options.attempt, "which try this is, from 1")->type_name("N");
  app.add_option("--label", options.labels, "kept with the upload; may be repeated")
      ->type_name("K=V")
      ->expected(1)
      ->take_all();
}

void add_behaviour(CLI::App& app, RunOptions& options) {
  app.add_option("--total", options.total, "how much there is to do: bytes, or a path to measure")
      ->type_name("BYTES|PATH");
  app.add_option("--tool", options.tool,
                 "restic, rclone, borg, rsync, … (docs/movers.md), percent:REGEX or bytes:REGEX "
                 "(default: by the command's name)")
      ->type_name("T");
  app.add_option_function<std::string>(
         "--grace", [&options](const std::string& text) { options.grace = *parse_duration(text); },
         "between SIGINT, SIGTERM and SIGKILL on cancel (default: 10s)")
      ->type_name("D")
      ->check([](const std::string& text) {
        return parse_duration(text) ? std::string() : "not a duration like 10s or 2m: " + text;
      });
  app.add_flag("--auto-flags", options.auto_flags,
               "add the flags without which the tool says nothing");
  app.add_option("--pty", options.pty, "give the tool a terminal of its own (default: auto)")
      ->type_name("auto|never|always");
  app.add_flag("--no-seal", options.no_seal, "the backup is not sealed by itself");
}

}  // namespace

void add_run(CLI::App& app, CommandLine& line) {
  auto& options = line.keep<RunOptions>();
  app.footer(app.get_footer() +
             "\n\nExit codes: the tool's; 126 or 127 if it cannot be started; 128+n if signal n"
             "\nended it; 2 for a usage error, before the tool starts");
  add_identity(app, options);
  add_behaviour(app, options);
  app.callback([&line, &options] {
    line.choose([&line, &options](Session& session) {
      options.command = line.tool_command;
      return run_tool(session, options);
    });
  });
}

}  // namespace plimsoll::cli
