// get.cpp - lists, or the named ones.
#include "cli/commands/get.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/fetch.hpp"
#include "cli/commands/print.hpp"
#include "cli/documents.hpp"
#include "cli/render_list.hpp"
#include "schemas/backup_phase.hpp"
#include "schemas/text.hpp"
#include "schemas/upload_state.hpp"

namespace plimsoll::cli {
namespace {

using nlohmann::json;

struct GetOptions {
  std::vector<std::string> names;
  std::string backup, state, node, phase;
  bool orphans = false;
};

using FetchOne = std::function<Result<json>(const std::string& name)>;

// Prints what is found; the exit code is that of the first name that is not.
int print_named(const Session& session, const std::vector<std::string>& names, Listing listing,
                const FetchOne& fetch) {
  int code = 0;
  listing.one = names.size() == 1;
  for (const auto& name : names) {
    auto document = fetch(name);
    if (document) {
      listing.items.push_back(std::move(*document));
      continue;
    }
    const int this_code = session.report(document.error());
    if (code == 0) code = this_code;
  }
  if (!listing.items.empty()) print_listing(session, listing);
  return code;
}

int print_all(const Session& session, Result<std::vector<json>> items, Listing listing) {
  if (!items) return session.report(items.error());
  listing.items = std::move(*items);
  print_listing(session, listing);
  return 0;
}

template <typename Row>
auto renderer(const Session& session, Row (*read)(const json&),
              Lines (*render)(const std::vector<Row>&, const ListLook&)) {
  return [&session, read, render](const std::vector<json>& items) {
    std::vector<Row> rows;
    rows.reserve(items.size());
    for (const auto& item : items)
      rows.push_back(read(item));
    const auto& options = session.options();
    return render(rows, {session.screen(), session.wall(), options.format == Format::wide,
                         !options.no_headers, 0});
  };
}

int get_uploads(Session& session, const GetOptions& options) {
  const auto client = session.connect(Need::any_daemon);
  if (!client) return session.report(client.error());
  Listing listing{"UploadList",
                  {},
                  false,
                  [](const json& item) { return text_at(item, "metadata/id"); },
                  renderer<UploadRow>(session, read_upload, render_uploads),
                  "no uploads"};
  if (!options.names.empty())
    return print_named(session, options.names, std::move(listing),
                       [&](const std::string& name) { return fetch_upload(*client, name); });
  auto path = with_query("/v1/uploads", "backup", options.backup);
  path = with_query(path, "state", options.state);
  path = with_query(path, "node", options.node);
  if (options.orphans) path = with_query(path, "orphans", "1");
  return print_all(session, client->list(path), std::move(listing));
}

int get_backups(Session& session, const GetOptions& options) {
  const auto client = session.connect(Need::controller);
  if (!client) return session.report(client.error());
  Listing listing{"BackupList",
                  {},
                  false,
                  [](const json& item) { return text_at(item, "metadata/name"); },
                  renderer<BackupRow>(session, read_backup, render_backups),
                  "no backups"};
  if (!options.names.empty())
    return print_named(session, options.names, std::move(listing),
                       [&](const std::string& name) { return fetch_backup(*client, name); });
  return print_all(session, client->list(with_query("/v1/backups", "phase", options.phase)),
                   std::move(listing));
}

int get_nodes(Session& session, const GetOptions& options) {
  const auto client = session.connect(Need::controller);
  if (!client) return session.report(client.error());
  Listing listing{"NodeList",
                  {},
                  false,
                  [](const json& item) { return read_node(item).name; },
                  renderer<NodeRow>(session, read_node, render_nodes),
                  "no nodes"};
  auto all = client->list("/v1/nodes");
  if (options.names.empty() || !all) return print_all(session, std::move(all), std::move(listing));
  return print_named(session, options.names, std::move(listing),
                     [&](const std::string& name) -> Result<json> {
                       for (const auto& node : *all)
                         if (read_node(node).name == escape_text(name)) return node;
                       return fail(ErrorCode::not_found, "no node " + plimsoll::quoted(name),
                                   "see what there is: plimsoll get nodes");
                     });
}

using RunGet = int (*)(Session&, const GetOptions&);

CLI::App& add_kind(CLI::App& app, CommandLine& line, const Command& command, RunGet run,
                   GetOptions& options) {
  auto& kind = add_command(app, command, line);
  // "uploads" → "upload" and the like; the plural is the name.
  kind.alias(std::string(command.name.substr(0, command.name.size() - 1)));
  kind.add_option("NAME", options.names, "only these; without it, all")->type_name("");
  kind.callback([&line, &options, run] {
    line.choose([&options, run](Session& session) { return run(session, options); });
  });
  return kind;
}

void add_nothing(CLI::App&, CommandLine&) {}

std::vector<std::string> state_words() {
  std::vector<std::string> words;
  for (const auto& row : kUploadStates)
    words.emplace_back(row.word);
  return words;
}

std::vector<std::string> phase_words() {
  std::vector<std::string> words;
  for (const auto& row : kBackupPhases)
    words.emplace_back(row.word);
  return words;
}

}  // namespace

void add_get(CLI::App& app, CommandLine& line) {
  app.require_subcommand(1);
  auto& options = line.keep<GetOptions>();
  auto& uploads = add_kind(
      app, line,
      {"uploads", "list uploads; NAME is an id, its beginning (4 digits or more), or BACKUP/ITEM",
       "plimsoll get uploads\nplimsoll get uploads --backup nightly --state Running\n"
       "plimsoll get upload 3fa9 -o yaml",
       &add_nothing},
      &get_uploads, options);
  uploads.add_option("--backup", options.backup, "only those of this backup")->type_name("NAME");
  uploads.add_option("--state", options.state, "only those in this state")
      ->type_name("STATE")
      ->transform(CLI::IsMember(state_words(), CLI::ignore_case));
  uploads.add_option("--node", options.node, "only those of this node")->type_name("NODE");
  uploads.add_flag("--orphans", options.orphans, "only those that belong to no known backup");
  auto& backups =
      add_kind(app, line,
               {"backups", "list backups; one that is still Uploading is not restorable yet",
                "plimsoll get backups -o wide\nplimsoll get backup nightly -o json", &add_nothing},
               &get_backups, options);
  backups.add_option("--phase", options.phase, "only those in this phase")
      ->type_name("PHASE")
      ->transform(CLI::IsMember(phase_words(), CLI::ignore_case));
  add_kind(app, line,
           {"nodes", "list the nodes whose agents have reported",
            "plimsoll get nodes\nplimsoll get node node-a -o json", &add_nothing},
           &get_nodes, options);
}

}  // namespace plimsoll::cli
