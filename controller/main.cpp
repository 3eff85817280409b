// main.cpp - plimsoll-controller: flags, configuration, then ControllerApp until a signal ends it.
#include <unistd.h>

#include <cstdio>
#include <string>

#include <CLI/CLI.hpp>

#include "config/load.hpp"
#include "controller/controller_app.hpp"
#include "controller/exit_code.hpp"
#include "schemas/text.hpp"

namespace plimsoll {
namespace {

constexpr const char* kExamples = R"(
Examples:
  plimsoll-controller
      zero configuration: sockets in /run/plimsoll (root) or $XDG_RUNTIME_DIR/plimsoll,
      the store in /var/lib/plimsoll or $XDG_STATE_HOME/plimsoll
  plimsoll-controller --run-dir /tmp/p/run --state-dir /tmp/p/state
      everything in directories of your own; no file in /etc is read
  plimsoll-controller --config /etc/plimsoll/controller.yaml --check-config
      checks a configuration and ends; 0 = good, 78 = every finding on standard error

Signals: SIGTERM and SIGINT end it (exit 0); SIGHUP reads the configuration again or keeps it.
Exit codes: 0 ended by a signal, 2 usage, 65 store corrupt or newer, 69 another one is running,
            73 cannot make a file or directory, 74 store I/O error, 77 permission,
            78 configuration.)";

struct CommandLine {
  DaemonFlags flags;
  bool check_config = false;
  bool print_config = false;
  bool version = false;
};

void add_flags(CLI::App& app, CommandLine& line) {
  app.add_option("--config", line.flags.config_file, "YAML file; --print-config shows its keys")
      ->type_name("FILE");
  app.add_option("--run-dir", line.flags.run_dir, "directory of the sockets (PLIMSOLL_RUN_DIR)")
      ->type_name("DIR");
  app.add_option("--state-dir", line.flags.state_dir, "directory of the store (PLIMSOLL_STATE_DIR)")
      ->type_name("DIR");
  app.add_flag("--check-config", line.check_config, "check the configuration and end");
  app.add_flag("--print-config", line.print_config, "print the configuration in force and end");
  app.add_option("--log-level", line.flags.log_level, "trace, debug, info, warn or error")
      ->type_name("LEVEL");
  app.add_flag("--version", line.version, "print the version and end");
  app.footer(kExamples);
}

int report(const Error& error) {
  std::fprintf(stderr, "plimsoll-controller: %s\n", error.message.c_str());
  if (!error.hint.empty()) std::fprintf(stderr, "  hint: %s\n", error.hint.c_str());
  return exit_code_of(error);
}

int run(const CommandLine& line) {
  if (line.version) {
    std::puts("plimsoll-controller " PLIMSOLL_VERSION);
    return 0;
  }
  const auto env = read_environment();
  const auto config = load_controller_config(line.flags, env);
  if (!config) return report(config.error());
  if (line.print_config) std::fputs(print_config(*config).c_str(), stdout);
  if (line.check_config) std::fputs("configuration is good\n", stderr);
  if (line.print_config || line.check_config) return 0;
  const auto reload = [&line, &env] { return load_controller_config(line.flags, env); };
  const auto ended = run_controller(*config, reload);
  return ended ? 0 : report(ended.error());
}

}  // namespace
}  // namespace plimsoll

int main(int argc, char** argv) {
  plimsoll::CommandLine line;
  CLI::App app(
      "Plimsoll's controller: knows every backup's uploads, and says when they are durable.",
      "plimsoll-controller");
  plimsoll::add_flags(app, line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;  // --help is no error
  }
  return plimsoll::run(line);
}
