// commands.cpp - the table.
#include "cli/commands.hpp"

#include <array>

#include <CLI/CLI.hpp>

#include "cli/commands/backup.hpp"
#include "cli/commands/cancel.hpp"
#include "cli/commands/check_config.hpp"
#include "cli/commands/describe.hpp"
#include "cli/commands/get.hpp"
#include "cli/commands/healthcheck.hpp"
#include "cli/commands/parse_run.hpp"
#include "cli/commands/version.hpp"
#include "cli/commands/watch.hpp"

namespace plimsoll::cli {
namespace {

constexpr std::array kCommands = {
    Command{"run", "run a backup tool and report for it",
            "plimsoll run --backup nightly --item paths/srv -- restic -r /backup/repo backup "
            "--json /srv\n"
            "plimsoll run --backup nightly --tool 'percent:([0-9]+)%' -- ./my-copy",
            &add_run},
    Command{"get", "list uploads, backups or nodes",
            "plimsoll get backups\n"
            "plimsoll get uploads --backup nightly -o wide\n"
            "plimsoll get backup nightly -o json",
            &add_get},
    Command{"describe", "everything about one backup or upload, on one screen",
            "plimsoll describe backup nightly\n"
            "plimsoll describe upload nightly/persistentvolumeclaims/shop/data-0",
            &add_describe},
    Command{"watch", "see uploads move, live",
            "plimsoll watch\n"
            "plimsoll watch nightly --until done\n"
            "plimsoll watch --plain | logger -t backups",
            &add_watch},
    Command{"cancel", "stop an upload, or all uploads of a backup",
            "plimsoll cancel 3fa9\n"
            "plimsoll cancel nightly/paths/srv\n"
            "plimsoll cancel nightly",
            &add_cancel},
    Command{"backup", "create, fill, seal, delete or wait for a backup",
            "plimsoll backup create nightly --item paths/srv,snapshot=snap-1\n"
            "plimsoll backup seal nightly\n"
            "plimsoll backup wait nightly --timeout 2h",
            &add_backup},
    Command{"healthcheck", "is a daemon ready? for probes and scripts",
            "plimsoll healthcheck agent\n"
            "plimsoll healthcheck controller -q",
            &add_healthcheck},
    Command{"check-config", "check a daemon's configuration without starting it",
            "plimsoll check-config agent\n"
            "plimsoll check-config controller --config ./controller.yaml",
            &add_check_config},
    Command{"version", "versions of this command and of the daemons it reaches",
            "plimsoll version\n"
            "plimsoll version -o json",
            &add_version},
};

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

CLI::App& add_command(CLI::App& app, const Command& command, CommandLine& line) {
  CLI::App& added = *app.add_subcommand(std::string(command.name), std::string(command.summary));
  std::string footer = "Examples:\n";
  std::string_view rest = command.examples;
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    footer.append("  ").append(rest.substr(0, end)).append("\n");
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
  added.footer(footer + "\nGlobal flags: plimsoll --help");
  command.add(added, line);
  return added;
}

}  // namespace plimsoll::cli
