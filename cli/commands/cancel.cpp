// cancel.cpp - finds out what a name means, then asks once; the daemon sees it through.
#include "cli/commands/cancel.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "cli/commands/fetch.hpp"
#include "cli/documents.hpp"
#include "schemas/text.hpp"

namespace plimsoll::cli {
namespace {

using nlohmann::json;

struct CancelOptions {
  std::vector<std::string> names;
  std::string reason;
};

constexpr int kAlreadyOver = 200;  // 202: asked for and kept

struct Target {
  bool is_backup = false;
  std::string name;  // of the backup, or the upload's id
};

Result<bool> is_backup_there(const Client& client, std::string_view name) {
  if (client.is_agent()) return false;
  const auto found = client.list(with_query("/v1/backups", "name", name));
  if (!found) return fail(found.error());
  for (const auto& backup : *found)
    if (text_at(backup, "metadata/name") == name) return true;
  return false;
}

// A name may be a backup's and the beginning of an id at once; then neither is guessed.
Result<Target> find_target(const Client& client, std::string_view text) {
  const bool is_item = text.find('/') != text.npos;
  const auto backup = is_item ? Result<bool>(false) : is_backup_there(client, text);
  if (!backup) return fail(backup.error());
  if (!*backup || looks_like_upload_id(text)) {
    const auto id = resolve_upload(client, text);
    if (id && *backup)
      return fail(ErrorCode::conflict,
                  plimsoll::quoted(text) + " is a backup and the beginning of an upload's id",
                  "name the upload as BACKUP/ITEM, or cancel the backup's uploads that way");
    if (id) return Target{false, *id};
    const bool nothing = id.error().code == ErrorCode::not_found;
    if (!*backup && nothing && !is_item)
      return fail(ErrorCode::not_found, "no backup and no upload " + plimsoll::quoted(text),
                  "see what there is: plimsoll get uploads");
    if (!*backup) return fail(id.error());
  }
  return Target{true, std::string(text)};
}

Result<void> cancel_one(const Session& session, const Client& client, const std::string& name,
                        const std::string& reason) {
  const auto target = find_target(client, name);
  if (!target) return fail(target.error());
  auto path = target->is_backup ? backup_path(target->name) : upload_path(target->name);
  json body = json::object();
  if (!reason.empty()) body["reason"] = reason;
  const auto answer = client.send({"POST", path + ":cancel", body});
  if (!answer) return fail(answer.error());
  const std::string what = (target->is_backup ? "backup " : "upload ") + escape_text(target->name);
  if (session.options().quiet) return {};
  session.print(what +
                (answer->status == kAlreadyOver ? ": already over\n" : ": cancel asked for\n"));
  return {};
}

int cancel(Session& session, const CancelOptions& options) {
  const auto client = session.connect(Need::any_daemon);
  if (!client) return session.report(client.error());
  int code = 0;
  for (const auto& name : options.names) {
    const auto done = cancel_one(session, *client, name, options.reason);
    if (done) continue;
    const int this_code = session.report(done.error());
    if (code == 0) code = this_code;
  }
  return code;
}

}  // namespace

void add_cancel(CLI::App& app, CommandLine& line) {
  auto& options = line.keep<CancelOptions>();
  app.add_option("NAME", options.names,
                 "an upload (id, its beginning of 4 digits or more, BACKUP/ITEM) or a backup")
      ->type_name("")
      ->required();
  app.add_option("--reason", options.reason, "kept with the upload, for people")->type_name("TEXT");
  app.callback([&line, &options] {
    line.choose([&options](Session& session) { return cancel(session, options); });
  });
}

}  // namespace plimsoll::cli
