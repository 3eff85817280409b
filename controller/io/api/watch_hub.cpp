// watch_hub.cpp - see watch_hub.hpp.
#include "controller/io/api/watch_hub.hpp"

#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "controller/io/api/answer.hpp"
#include "controller/io/api/list_query.hpp"
#include "controller/io/backup_json.hpp"
#include "schemas/api_json.hpp"

namespace plimsoll {
namespace {

using nlohmann::json;

constexpr std::size_t kFirstSetPage = 100;       // objects rendered at a time
constexpr std::size_t kTypicalLineBytes = 1024;  // of a change that was merged away

std::string line(std::string_view type, const json& object) {
  return dump_json({{"type", type}, {"object", object}}) + "\n";
}

std::string bookmark() {
  return line("BOOKMARK", {{"synced", true}});
}

struct Shown {
  std::string key;
  json object;
};

struct ShownPage {
  std::vector<Shown> objects;
  std::string next;
};

ShownPage page_of(const ControllerState& state, BackupQuery query, const std::string& after) {
  query.limit = kFirstSetPage;
  query.after = after;
  auto page = list_backups(state, query);
  ShownPage shown{{}, page.next};
  for (const auto& backup : page.items)
    shown.objects.push_back({backup.uid, backup_json(backup)});
  return shown;
}

ShownPage page_of(const ControllerState& state, UploadQuery query, const std::string& after,
                  TimePoint now) {
  query.limit = kFirstSetPage;
  query.after = after;
  auto page = list_uploads(state, query, now);
  ShownPage shown{{}, page.next};
  for (const auto& upload : page.items)
    shown.objects.push_back({upload.id, upload_json(upload)});
  return shown;
}

struct Found {
  json object;
  bool matching = false;
};

// Nothing: it does not exist any more.
std::optional<Found> find_object(const ControllerState& state, const BackupQuery& query,
                                 const std::string& uid) {
  const auto backup = get_backup(state, uid);
  if (!backup) return std::nullopt;
  return Found{backup_json(*backup), matches(query, *backup)};
}

std::optional<Found> find_object(const ControllerState& state, const UploadQuery& query,
                                 const std::string& id, TimePoint now) {
  const auto upload = get_upload(state, id, now);
  if (!upload) return std::nullopt;
  const bool orphan = orphan_segment(state, id).has_value();
  return Found{upload_json(*upload), matches(query, *upload, orphan)};
}

json nameless(const char* kind, const char* key_name, const std::string& key) {
  return {{"apiVersion", kApiVersion}, {"kind", kind}, {"metadata", {{key_name, key}}}};
}

json last_words_of(const DeletedBackup& gone) {
  auto object = nameless("Backup", "uid", gone.uid);
  object["metadata"]["name"] = gone.name;
  return object;
}

json last_words_of(const DeletedUpload& gone) {
  auto object = nameless("Upload", "id", gone.id);
  object["spec"] = {{"backup", gone.backup}, {"backupUID", gone.backup_uid}, {"item", gone.item}};
  return object;
}

}  // namespace

void WatchHub::add(HttpResponder responder, WatchQuery query) {
  if (watchers_.size() >= kMaxWatchers) {
    responder.send(error_answer(
        Error{ErrorCode::busy, "there are " + std::to_string(kMaxWatchers) + " watchers already",
              "ask again later, or poll the list", ""}));
    return;
  }
  HttpResponse head;
  head.content_type = "application/x-ndjson";
  Watcher watcher;
  watcher.stream = responder.stream(std::move(head));
  watcher.query = std::move(query);
  watchers_.push_back(std::move(watcher));
}

void WatchHub::changed(const Changed& changed) {
  for (auto& watcher : watchers_) {
    if (std::holds_alternative<BackupQuery>(watcher.query)) {
      for (const auto& uid : changed.backups)
        note(watcher, uid, std::nullopt);
      for (const auto& gone : changed.deleted_backups)
        note(watcher, gone.uid, line("DELETED", last_words_of(gone)));
    } else {
      for (const auto& id : changed.uploads)
        note(watcher, id, std::nullopt);
      for (const auto& gone : changed.deleted_uploads)
        note(watcher, gone.id, line("DELETED", last_words_of(gone)));
    }
  }
}

void WatchHub::note(Watcher& watcher, const std::string& key,
                    std::optional<std::string> last_words) {
  if (watcher.behind_since) watcher.missed_bytes += kTypicalLineBytes;
  watcher.unheard[key] = std::move(last_words);
}

void WatchHub::flush(TimePoint now) {
  for (auto it = watchers_.begin(); it != watchers_.end();)
    it = flush_one(*it, now) ? std::next(it) : watchers_.erase(it);
}

// False: the watcher is over.
bool WatchHub::flush_one(Watcher& watcher, TimePoint now) {
  if (watcher.stream.closed()) return false;
  if (watcher.stream.buffered_bytes() < watcher.buffered) watcher.missed_bytes = 0;
  if (!watcher.synced) send_first_set(watcher, now);
  if (watcher.synced) send_changes(watcher, now, kWatchBufferBytes);
  if (watcher.synced && watcher.unheard.empty()) {
    watcher.behind_since.reset();
    watcher.missed_bytes = 0;
    if (now >= *watcher.bookmark_due) {
      (void)watcher.stream.push(bookmark());
      watcher.bookmark_due = now + kBookmarkEvery;
    }
  } else if (!watcher.behind_since) {
    watcher.behind_since = now;
  }
  watcher.buffered = watcher.stream.buffered_bytes();
  if (!is_lost(watcher, now)) return true;
  ++closed_slow_;
  send_changes(watcher, now, SIZE_MAX);
  (void)watcher.stream.push(line("BOOKMARK", {{"synced", false}, {"closed", "reader too slow"}}));
  watcher.stream.end();
  return false;
}

bool WatchHub::is_lost(Watcher& watcher, TimePoint now) {
  if (!watcher.behind_since) return false;
  return watcher.missed_bytes > kWatchMissedBytes ||
         now - *watcher.behind_since >= kWatchBehindLimit;
}

void WatchHub::send_first_set(Watcher& watcher, TimePoint now) {
  while (!watcher.synced && watcher.stream.buffered_bytes() < kWatchBufferBytes) {
    const auto* backups = std::get_if<BackupQuery>(&watcher.query);
    auto page = backups ? page_of(state_, *backups, watcher.after)
                        : page_of(state_, std::get<UploadQuery>(watcher.query), watcher.after, now);
    for (auto& shown : page.objects) {
      (void)watcher.stream.push(line("ADDED", shown.object));
      watcher.unheard.erase(shown.key);  // this is its newest state
      watcher.shown.insert(std::move(shown.key));
    }
    watcher.after = std::move(page.next);
    watcher.behind_since.reset();  // the reader is taking it
    if (!watcher.after.empty()) continue;
    watcher.synced = true;
    watcher.bookmark_due = now + kBookmarkEvery;
    (void)watcher.stream.push(bookmark());
  }
}

void WatchHub::send_changes(Watcher& watcher, TimePoint now, std::size_t max_buffered) {
  while (!watcher.unheard.empty() && !watcher.stream.closed() &&
         watcher.stream.buffered_bytes() < max_buffered) {
    const auto unheard = watcher.unheard.extract(watcher.unheard.begin());
    send_change(watcher, unheard.key(), unheard.mapped(), now);
  }
}

void WatchHub::send_change(Watcher& watcher, const std::string& key,
                           const std::optional<std::string>& last_words, TimePoint now) {
  const auto* backups = std::get_if<BackupQuery>(&watcher.query);
  const auto found = backups ? find_object(state_, *backups, key)
                             : find_object(state_, std::get<UploadQuery>(watcher.query), key, now);
  const bool known = watcher.shown.contains(key);
  if (found && found->matching) {
    watcher.shown.insert(key);
    (void)watcher.stream.push(line(known ? "MODIFIED" : "ADDED", found->object));
    return;
  }
  if (!known) return;
  watcher.shown.erase(key);
  if (found)
    (void)watcher.stream.push(line("DELETED", found->object));
  else if (last_words)
    (void)watcher.stream.push(*last_words);
  else
    (void)watcher.stream.push(
        line("DELETED", backups ? nameless("Backup", "uid", key) : nameless("Upload", "id", key)));
}

}  // namespace plimsoll
