// describe.cpp - one object, read whole.
#include "cli/commands/describe.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "cli/commands/fetch.hpp"
#include "cli/commands/print.hpp"
#include "cli/documents.hpp"
#include "cli/render_describe.hpp"

namespace plimsoll::cli {
namespace {

struct DescribeOptions {
  std::vector<std::string> names;
};

using Fetch = Result<nlohmann::json> (*)(const Client&, std::string_view);
using Render = Lines (*)(const nlohmann::json&, const DescribeLook&);

struct Kind {
  Need need;
  Fetch fetch;
  Render render;
};

constexpr Kind kBackup = {Need::controller, &fetch_backup,
                          [](const nlohmann::json& document, const DescribeLook& look) {
                            return render_backup(read_backup(document), look);
                          }};
constexpr Kind kUpload = {Need::any_daemon, &fetch_upload,
                          [](const nlohmann::json& document, const DescribeLook& look) {
                            return render_upload(read_upload(document), look);
                          }};

int describe(Session& session, const DescribeOptions& options, const Kind& kind) {
  const auto client = session.connect(kind.need);
  if (!client) return session.report(client.error());
  int code = 0;
  bool first = true;
  for (const auto& name : options.names) {
    const auto document = kind.fetch(*client, name);
    if (!document) {
      const int this_code = session.report(document.error());
      if (code == 0) code = this_code;
      continue;
    }
    if (wants_document(session)) {
      print_document(session, *document);
      continue;
    }
    if (!first) session.print("\n");
    first = false;
    session.print(kind.render(*document, {session.screen(), session.wall()}));
  }
  return code;
}

void add_kind(CLI::App& app, CommandLine& line, const Command& command, const Kind& kind) {
  auto& options = line.keep<DescribeOptions>();
  auto& added = add_command(app, command, line);
  added.alias(std::string(command.name) + "s");
  added.add_option("NAME", options.names, "which")->type_name("")->required();
  added.callback([&line, &options, &kind] {
    line.choose([&](Session& session) { return describe(session, options, kind); });
  });
}

void add_nothing(CLI::App&, CommandLine&) {}

}  // namespace

void add_describe(CLI::App& app, CommandLine& line) {
  app.require_subcommand(1);
  add_kind(app, line,
           {"backup", "phase, sums, errors and every upload of a backup",
            "plimsoll describe backup nightly", &add_nothing},
           kBackup);
  add_kind(
      app, line,
      {"upload", "numbers, reasons, freshness and history of an upload",
       "plimsoll describe upload 3fa9\nplimsoll describe upload nightly/paths/srv", &add_nothing},
      kUpload);
}

}  // namespace plimsoll::cli
