// backup.cpp - the changes a person makes to a backup: one request each.
#include "cli/commands/backup.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "cli/commands/backup_wait.hpp"
#include "cli/commands/manifest.hpp"
#include "cli/commands/print.hpp"
#include "cli/documents.hpp"
#include "runtime/http/url.hpp"
#include "schemas/text.hpp"

namespace plimsoll::cli {
namespace {

using nlohmann::json;

struct CreateOptions {
  std::string name;
  std::vector<std::string> items;
  std::string file;
};

struct AddOptions {
  std::string name, item, snapshot_id, volume_id;
  std::uint32_t parts = 0;
};

struct SealOptions {
  std::string name;
  std::string outcome = "ok";
  bool allow_empty = false;
};

struct DeleteOptions {
  std::string name;
  bool wait = false;
};

constexpr int kCreated = 201;

// What a change answers with: the document for -o json|yaml, the name for -o name, else a sentence.
void print_answer(const Session& session, const json& document, const std::string& name,
                  const std::string& sentence) {
  if (wants_document(session)) return print_document(session, document);
  if (session.options().format == Format::name) return session.print(escape_text(name) + "\n");
  if (!session.options().quiet) session.print(sentence + "\n");
}

// Connects, sends, reports; `done` prints the answer.
template <typename Done>
int send(Session& session, const Request& request, const Done& done) {
  const auto client = session.connect(Need::controller);
  if (!client) return session.report(client.error());
  const auto answer = client->send(request);
  if (!answer) return session.report(answer.error());
  done(*answer);
  return 0;
}

std::string phase_of(const json& document) {
  const auto phase = text_at(document, "status/phase");
  return phase.empty() ? "" : ", " + phase;
}

int create(Session& session, const CreateOptions& options) {
  json spec = {{"seal", "manual"}, {"source", "cli"}};
  for (const auto& text : options.items) {
    const auto item = parse_item_flag(text);
    if (!item) return session.report(item.error());
    spec["items"].push_back(*item);
  }
  if (!options.file.empty()) {
    auto objects = read_manifests(options.file);
    if (!objects) return session.report(objects.error());
    spec["objects"] = std::move(*objects);
  }
  const json body = {{"metadata", {{"name", options.name}}}, {"spec", spec}};
  return send(session, {"POST", "/v1/backups", body}, [&](const Answer& answer) {
    print_answer(session, answer.document, options.name,
                 "backup " + escape_text(options.name) +
                     (answer.status == kCreated ? " created" : " is there already") +
                     phase_of(answer.document));
  });
}

int add_item(Session& session, const AddOptions& options) {
  json body = json::object();
  if (!options.snapshot_id.empty()) body["snapshotID"] = options.snapshot_id;
  if (!options.volume_id.empty()) body["volumeID"] = options.volume_id;
  if (options.parts > 0) body["parts"] = options.parts;
  const auto path = backup_path(options.name) + "/items/" + percent_encode(options.item);
  return send(session, {"PUT", path, body}, [&](const Answer& answer) {
    print_answer(session, answer.document, options.item,
                 escape_text(options.item) +
                     (answer.status == kCreated ? " added to backup " : " is already in backup ") +
                     escape_text(options.name));
  });
}

int seal(Session& session, const SealOptions& options) {
  const json body = {{"outcome", options.outcome}, {"allowEmpty", options.allow_empty}};
  return send(
      session, {"POST", backup_path(options.name) + ":seal", body}, [&](const Answer& answer) {
        print_answer(session, answer.document, options.name,
                     "backup " + escape_text(options.name) + " sealed" + phase_of(answer.document));
      });
}

int delete_backup(Session& session, const DeleteOptions& options) {
  const auto client = session.connect(Need::controller);
  if (!client) return session.report(client.error());
  // The UID tells this backup from a later one of the same name.
  const auto before = client->get(backup_path(options.name));
  if (!before) return session.report(before.error());
  const auto answer = client->send({"DELETE", backup_path(options.name), {}});
  if (!answer) return session.report(answer.error());
  if (options.wait) {
    WaitOptions wait{options.name, WaitGoal::deleted, text_at(*before, "metadata/uid")};
    if (const int code = wait_for_backup(session, wait); code != 0) return code;
  }
  print_answer(
      session, answer->document, options.name,
      "backup " + escape_text(options.name) + (options.wait ? " deleted" : ": deletion asked for"));
  return 0;
}

int wait(Session& session, const WaitOptions& options) {
  return wait_for_backup(session, options);
}

template <typename Options>
void choose(CLI::App& app, CommandLine& line, const Options& options,
            int (*run)(Session&, const Options&)) {
  app.callback([&line, &options, run] {
    line.choose([&options, run](Session& session) { return run(session, options); });
  });
}

void add_name(CLI::App& app, std::string& name) {
  app.add_option("NAME", name, "of the backup")->type_name("")->required();
}

void add_create(CLI::App& app, CommandLine& line) {
  auto& options = line.keep<CreateOptions>();
  add_name(app, options.name);
  app.add_option("--item", options.items,
                 "expect this item; ITEM[,snapshot=S][,volume=V][,parts=N]; may be repeated")
      ->type_name("ITEM")
      ->expected(1)
      ->take_all();
  app.add_option("-f,--file", options.file,
                 "the backup's objects as JSON: one, a list of them, or a List; - is stdin")
      ->type_name("FILE");
  choose(app, line, options, &create);
}

void add_add(CLI::App& app, CommandLine& line) {
  auto& options = line.keep<AddOptions>();
  add_name(app, options.name);
  app.add_option("ITEM", options.item, "RESOURCE[.GROUP]/[NAMESPACE/]NAME")
      ->type_name("")
      ->required();
  app.add_option("--snapshot-id", options.snapshot_id, "the source snapshot")->type_name("S");
  app.add_option("--volume-id", options.volume_id, "the storage system's name of the volume")
      ->type_name("V");
  app.add_option("--parts", options.parts, "how many processes move it")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  choose(app, line, options, &add_item);
}

void add_seal(CLI::App& app, CommandLine& line) {
  auto& options = line.keep<SealOptions>();
  add_name(app, options.name);
  app.add_option("--outcome", options.outcome, "how taking the snapshots went (default: ok)")
      ->type_name("ok|partial|failed")
      ->check(CLI::IsMember({"ok", "partial", "failed"}));
  app.add_flag("--allow-empty", options.allow_empty, "a backup without items is Completed at once");
  choose(app, line, options, &seal);
}

void add_delete(CLI::App& app, CommandLine& line) {
  auto& options = line.keep<DeleteOptions>();
  add_name(app, options.name);
  app.add_flag("--wait", options.wait, "until it is gone and its uploads are stopped");
  choose(app, line, options, &delete_backup);
}

void add_wait(CLI::App& app, CommandLine& line) {
  auto& options = line.keep<WaitOptions>();
  add_name(app, options.name);
  app.add_option_function<std::string>(
         "--for", [&options](const std::string& word) { options.goal = *goal_from_word(word); },
         "what to wait for (default: terminal)")
      ->type_name("terminal|completed|deleted")
      ->check(CLI::IsMember({"terminal", "completed", "deleted"}));
  app.footer(app.get_footer() +
             "\n\nExit codes: Completed 0, Failed or FailedValidation 1, PartiallyFailed 3, no such"
             "\nbackup 4, deleted 5, not reachable for 30 s 69, --timeout passed 124");
  choose(app, line, options, &wait);
}

}  // namespace

void add_backup(CLI::App& app, CommandLine& line) {
  app.require_subcommand(1);
  const Command kinds[] = {
      {"create", "announce a backup, with the items that are expected in it",
       "plimsoll backup create nightly\n"
       "plimsoll backup create nightly --item paths/srv,snapshot=snap-1 --item paths/home",
       &add_create},
      {"add", "expect one more item",
       "plimsoll backup add nightly persistentvolumeclaims/shop/data-0 --snapshot-id snap-1",
       &add_add},
      {"seal", "nothing more is added: from here on it can become Completed",
       "plimsoll backup seal nightly\nplimsoll backup seal nightly --outcome partial", &add_seal},
      {"delete", "stop its uploads and forget it", "plimsoll backup delete nightly --wait",
       &add_delete},
      {"wait", "until a backup is over; the exit code says how",
       "plimsoll backup wait nightly --timeout 2h\n"
       "plimsoll backup wait nightly --for deleted",
       &add_wait},
  };
  for (const auto& kind : kinds)
    add_command(app, kind, line);
}

}  // namespace plimsoll::cli
