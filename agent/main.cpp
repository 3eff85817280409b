// main.cpp - plimsoll-agent: command line, configuration, then the daemon.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "agent/agent_daemon.hpp"
#include "agent/settings_of.hpp"
#include "config/load.hpp"
#include "runtime/log.hpp"
#include "schemas/error_codes.hpp"

namespace {

using namespace plimsoll;  // NOLINT: the program's own main

constexpr const char* kExamples =
    "Examples:\n"
    "  plimsoll-agent                                  zero configuration: RUN is /run/plimsoll "
    "for root,\n"
    "                                                  else $XDG_RUNTIME_DIR/plimsoll\n"
    "  plimsoll-agent --run-dir /tmp/plimsoll          everything in one directory, for a try\n"
    "  plimsoll-agent --config agent.yaml --check-config\n"
    "  curl --unix-socket /run/plimsoll/agent.sock http://agent/v1/uploads\n"
    "\n"
    "Stop it with SIGTERM; SIGHUP reads the configuration again, or keeps the old one if the new "
    "one is wrong.\n"
    "Exit status: 0 stopped by a signal, 2 usage, 69 address in use, 73 cannot create RUN, 77 "
    "permission,\n"
    "78 configuration.\n";

struct Command {
  DaemonFlags flags;
  bool check_config = false;
  bool print_config = false;
};

void describe(CLI::App& app, Command& command) {
  app.footer(kExamples);
  app.set_version_flag("--version", "plimsoll-agent " PLIMSOLL_VERSION,
                       "Print the version and exit");
  app.add_option("--config", command.flags.config_file,
                 "Configuration file (default /etc/plimsoll/agent.yaml)");
  app.add_option("--run-dir", command.flags.run_dir, "Directory of sockets and segments");
  app.add_option("--state-dir", command.flags.state_dir,
                 "Accepted as for the controller; the agent keeps nothing on disk");
  app.add_option("--log-level", command.flags.log_level, "trace, debug, info, warn or error");
  app.add_flag("--check-config", command.check_config, "Check the configuration and exit");
  app.add_flag("--print-config", command.print_config,
               "Print the effective configuration and exit");
}

int complain(const Error& error) {
  std::fprintf(stderr, "plimsoll-agent: %s\n", error.message.c_str());
  if (!error.hint.empty()) std::fprintf(stderr, "hint: %s\n", error.hint.c_str());
  return info(error.code).exit_code;
}

int run(const Command& command) {
  const auto load = [&command] { return load_agent_config(command.flags, read_environment()); };
  auto config = load();
  if (!config) return complain(config.error());
  if (command.print_config) std::fputs(print_config(*config).c_str(), stdout);
  if (command.check_config && !command.print_config) std::puts("configuration ok");
  if (command.check_config || command.print_config) return 0;
  Log log(log_options(*config));
  AgentDaemon daemon(std::move(*config), log, load);
  return daemon.run();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Watches the segments of this node's movers and reports their progress.",
               "plimsoll-agent");
  Command command;
  describe(app, command);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? 0 : info(ErrorCode::usage).exit_code;
  }
  return run(command);
}
