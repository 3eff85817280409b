// run.cpp - see run.hpp. The order of things is the point of this file.
#include "cli/commands/run.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/commands/run_names.hpp"
#include "cli/commands/run_reporter.hpp"
#include "cli/commands/run_total.hpp"
#include "schemas/names.hpp"
#include "schemas/text.hpp"
#include "schemas/text_bounds.hpp"
#include "shim/run/child.hpp"
#include "shim/run/signal_inbox.hpp"
#include "shim/run/supervise.hpp"
#include "shim/run/tool_table.hpp"

namespace plimsoll::cli {

namespace {

// Of the 500 ms by which the start may be late, most is left to the controller's answer.
constexpr Duration kTotalWalk = milliseconds(300);

std::string working_directory() {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::current_path(error);
  return error ? "/" : path.string();
}

Result<Identity> identity_of(const Session& session, const RunOptions& options,
                             const ChosenTool& tool) {
  const std::string program = base_name(options.command.front());
  Identity identity;
  identity.backup =
      options.backup.empty() ? default_backup_name(program, session.wall()) : options.backup;
  identity.item = options.item.empty() ? default_item_name(working_directory()) : options.item;
  identity.snapshot_id = options.snapshot_id;
  identity.volume_id = options.volume_id;
  identity.part = options.part;
  identity.parts_total = options.parts;
  identity.attempt = options.attempt;
  identity.units = tool.units;
  identity.tool = tool.name.empty() ? clean_utf8(program, kMaxToolBytes) : tool.name;
  identity.labels = options.labels;
  if (auto checked = check_identity(identity); !checked) return fail(std::move(checked.error()));
  return identity;
}

Result<void> check_usage(const RunOptions& options) {
  if (options.command.empty() || options.command.front().empty())
    return fail(ErrorCode::usage, "run: no command", "plimsoll run [flags] -- COMMAND [arguments]");
  if (options.pty == "always")
    return fail(ErrorCode::usage, "run --pty 'always': this version has no pseudo-terminals",
                "leave it out: the tool keeps every terminal that we need not read");
  if (options.pty != "auto" && options.pty != "never")
    return fail(ErrorCode::usage, "run --pty " + plimsoll::quoted(options.pty) + ": not known",
                "auto, never or always");
  return {};
}

struct Prepared {
  ChosenTool tool;
  Reporting reporting;
};

// Everything that can be wrong with the command line, before anything is started or told to anyone.
Result<Prepared> prepare(const Session& session, const RunOptions& options) {
  if (auto checked = check_usage(options); !checked) return fail(std::move(checked.error()));
  std::int64_t total = 0;
  if (!options.total.empty()) {
    const auto measured = read_total(options.total, kTotalWalk);
    if (!measured) return fail(measured.error());
    total = *measured;
  }
  auto tool = choose_tool({options.tool, options.auto_flags, options.command, total});
  if (!tool) return fail(std::move(tool.error()));
  auto identity = identity_of(session, options, *tool);
  if (!identity) return fail(std::move(identity.error()));
  Prepared prepared;
  if (tool->units == "bytes") prepared.reporting.producer.total = total;
  prepared.tool = std::move(*tool);
  prepared.reporting.producer.identity = std::move(*identity);
  prepared.reporting.producer.made_by_run = true;
  prepared.reporting.run_dir = session.options().run_dir;
  prepared.reporting.manual_seal = options.no_seal;
  const char* off = std::getenv("PLIMSOLL_DISABLE");
  prepared.reporting.switched_off = off != nullptr && *off != '\0' && std::string(off) != "0";
  return prepared;
}

int refuse(const Session& session, Error error) {
  error.code = ErrorCode::usage;  // whatever is wrong with the words, the exit status says: usage
  return session.report(error);
}

int not_started(const Session& session, RunReporter& reporter, const std::string& program,
                int error) {
  const std::string cause = std::error_code(error, std::generic_category()).message();
  Terminal end;
  end.outcome = Outcome::failed;
  end.err = clean_utf8("cannot start " + plimsoll::quoted(program) + ": " + cause, kMaxErrBytes);
  reporter.finish(end);
  session.warn("plimsoll run: " + end.err);
  return shell_status(error);
}

}  // namespace

int run_tool(const Session& session, const RunOptions& options) {
  keep_closed_descriptors_closed();
  auto prepared = prepare(session, options);
  if (!prepared) return refuse(session, std::move(prepared.error()));
  ChosenTool& tool = prepared->tool;
  ExitStatus exit;
  {
    SignalInbox inbox;  // before the first thread, which inherits its mask
    RunReporter reporter(session, std::move(prepared->reporting));
    if (!tool.hint.empty()) session.say("plimsoll run: " + tool.hint);
    SuperviseOptions supervised;
    supervised.plan = {tool.argv, tool.environment, tool.read_out, tool.read_err};
    supervised.grace = options.grace;
    const RunEnd end = supervise(supervised, *tool.parser, reporter, inbox);
    if (end.spawn_error != 0)
      return not_started(session, reporter, tool.argv.front(), end.spawn_error);
    reporter.finish(end.terminal);
    exit = end.exit;
  }
  if (exit.signal != 0) die_of(exit.signal);
  return exit.code;
}

}  // namespace plimsoll::cli
