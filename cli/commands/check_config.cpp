// check_config.cpp - loads what the daemon would load, and changes nothing.
#include "cli/commands/check_config.hpp"

#include <CLI/CLI.hpp>

#include <string>

#include "config/load.hpp"
#include "schemas/text.hpp"

namespace plimsoll::cli {
namespace {

struct CheckOptions {
  std::string daemon;
  std::string file;
};

int check_config(Session& session, const CheckOptions& options) {
  DaemonFlags flags;
  flags.config_file = options.file;
  flags.run_dir = session.options().run_dir;
  const auto& environment = session.environment();
  const bool agent = options.daemon == "agent";
  if (agent) {
    if (auto config = load_agent_config(flags, environment); !config)
      return session.report(config.error());
  } else if (auto config = load_controller_config(flags, environment); !config) {
    return session.report(config.error());
  }
  const auto file = config_file_to_read(flags, environment, options.daemon + ".yaml");
  const auto what = file.empty() ? std::string("no file, only defaults") : escape_text(file);
  if (!session.options().quiet) session.print(what + ": ok\n");
  return 0;
}

}  // namespace

void add_check_config(CLI::App& app, CommandLine& line) {
  auto& options = line.keep<CheckOptions>();
  app.add_option("DAEMON", options.daemon, "agent or controller")
      ->type_name("")
      ->required()
      ->check(CLI::IsMember({"agent", "controller"}));
  app.add_option("--config", options.file, "default: the file that the daemon would read")
      ->type_name("FILE");
  app.callback([&line, &options] {
    line.choose([&options](Session& session) { return check_config(session, options); });
  });
}

}  // namespace plimsoll::cli
