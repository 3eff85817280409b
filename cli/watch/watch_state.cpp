// watch_state.cpp - events in, rows and changes out.
#include "cli/watch/watch_state.hpp"

#include <algorithm>
#include <utility>

#include "schemas/merge.hpp"

namespace plimsoll::cli {
namespace {

bool is_synced_bookmark(const WatchEvent& event) {
  if (event.type != "BOOKMARK" || !event.object.is_object()) return false;
  const auto found = event.object.find("synced");
  return found != event.object.end() && found->is_boolean() && found->get<bool>();
}

WatchChange change_of(WatchChange::Kind kind, const std::string& key, const UploadRow& row) {
  WatchChange change;
  change.kind = kind;
  change.key = key;
  change.upload = row;
  return change;
}

WatchChange change_of(WatchChange::Kind kind, const std::string& key, const BackupRow& row) {
  WatchChange change;
  change.kind = kind;
  change.key = key;
  change.backup = row;
  return change;
}

// Adds one upload to the sums of the backup it names.
void add_to(BackupRow& sum, const UploadRow& upload) {
  ++sum.uploads;
  ++sum.counts[upload.state_word];
  if (upload.over()) ++sum.uploads_over;
  if (upload.units != "bytes") return;
  sum.done = saturating_add(sum.done, upload.done);
  if (upload.total)
    sum.total = saturating_add(sum.total.value_or(0), *upload.total);
  else
    ++sum.unknown;
  if (upload.rate) sum.rate = sum.rate.value_or(0) + *upload.rate;
  if (upload.eta_seconds)  // side by side: the slowest decides
    sum.eta_seconds = std::max(sum.eta_seconds.value_or(0), *upload.eta_seconds);
}

std::vector<BackupRow> sums_of(const std::vector<UploadRow>& uploads) {
  std::map<std::string, BackupRow> sums;
  for (const auto& upload : uploads) {
    auto& sum = sums[upload.backup];
    sum.name = upload.backup.empty() ? "(no backup)" : upload.backup;
    add_to(sum, upload);
  }
  std::vector<BackupRow> rows;
  for (auto& [name, sum] : sums)
    rows.push_back(std::move(sum));
  return rows;
}

}  // namespace

WatchState::WatchState(std::vector<std::string> names, bool has_backups)
    : names_(std::move(names)), has_backups_(has_backups) {}

WatchState::Link& WatchState::link(Stream stream) {
  return stream == Stream::uploads ? uploads_link_ : backups_link_;
}

bool WatchState::is_watched(const std::string& backup) const {
  return names_.empty() || std::find(names_.begin(), names_.end(), backup) != names_.end();
}

void WatchState::begin(Stream stream) {
  auto& here = link(stream);
  ++here.generation;
  here.in_full_set = true;
}

void WatchState::lose(Stream stream, const std::string& why, WallTime when) {
  auto& here = link(stream);
  const auto since = here.outage ? here.outage->since : when;
  here.outage = Outage{since, why};
}

std::vector<WatchChange> WatchState::apply(Stream stream, const WatchEvent& event) {
  std::vector<WatchChange> changes;
  link(stream).outage.reset();
  if (is_synced_bookmark(event)) {
    finish_full_set(stream, changes);
    return changes;
  }
  if (event.type == "BOOKMARK") return changes;
  if (stream == Stream::uploads)
    take_upload(event, changes);
  else
    take_backup(event, changes);
  return changes;
}

void WatchState::take_upload(const WatchEvent& event, std::vector<WatchChange>& changes) {
  auto row = read_upload(event.object);
  if (row.id.empty() || !is_watched(row.backup)) return;
  const auto found = uploads_.find(row.id);
  if (event.type == "DELETED") {
    if (found == uploads_.end()) return;
    if (found->second.shown)
      changes.push_back(change_of(WatchChange::Kind::upload_gone, row.id, found->second.row));
    uploads_.erase(found);
    return;
  }
  const bool is_new = found == uploads_.end();
  const bool changed = is_new || found->second.row.state_word != row.state_word;
  auto& entry = uploads_[row.id];
  entry.generation = uploads_link_.generation;
  // What was over before we looked is only worth a row if its backup is.
  const bool ended_now = changed && !uploads_link_.in_full_set;
  entry.shown = entry.shown || !row.over() || !names_.empty() || ended_now;
  entry.row = std::move(row);
  if (changed && entry.shown)
    changes.push_back(change_of(WatchChange::Kind::upload, entry.row.id, entry.row));
}

void WatchState::take_backup(const WatchEvent& event, std::vector<WatchChange>& changes) {
  auto row = read_backup(event.object);
  const auto key = row.uid.empty() ? row.name : row.uid;
  if (key.empty() || !is_watched(row.name)) return;
  const auto found = backups_.find(key);
  if (event.type == "DELETED") {
    if (found == backups_.end()) return;
    if (found->second.shown)
      changes.push_back(change_of(WatchChange::Kind::backup_gone, key, found->second.row));
    backups_.erase(found);
    return;
  }
  const bool changed = found == backups_.end() || found->second.row.phase_word != row.phase_word;
  auto& entry = backups_[key];
  entry.generation = backups_link_.generation;
  const bool ended_now = changed && !backups_link_.in_full_set;
  entry.shown = entry.shown || !row.over() || !names_.empty() || ended_now;
  entry.row = std::move(row);
  if (changed && entry.shown)
    changes.push_back(change_of(WatchChange::Kind::backup, key, entry.row));
}

void WatchState::finish_full_set(Stream stream, std::vector<WatchChange>& changes) {
  auto& here = link(stream);
  here.synced_once = true;
  here.in_full_set = false;
  const auto sweep = [&](auto& entries, WatchChange::Kind gone) {
    for (auto entry = entries.begin(); entry != entries.end();) {
      if (entry->second.generation == here.generation) {
        ++entry;
        continue;
      }
      if (entry->second.shown) changes.push_back(change_of(gone, entry->first, entry->second.row));
      entry = entries.erase(entry);
    }
  };
  if (stream == Stream::uploads)
    sweep(uploads_, WatchChange::Kind::upload_gone);
  else
    sweep(backups_, WatchChange::Kind::backup_gone);
}

bool WatchState::synced() const {
  return uploads_link_.synced_once && (!has_backups_ || backups_link_.synced_once);
}

std::optional<WatchState::Outage> WatchState::outage() const {
  return uploads_link_.outage ? uploads_link_.outage : backups_link_.outage;
}

bool WatchState::shows_backup_of(const UploadRow& upload) const {
  const auto found = backups_.find(upload.backup_uid);
  return found != backups_.end() && found->second.shown;
}

std::vector<UploadRow> WatchState::uploads() const {
  std::vector<UploadRow> rows;
  for (const auto& [id, entry] : uploads_)
    if (entry.shown || shows_backup_of(entry.row)) rows.push_back(entry.row);
  return rows;
}

std::vector<BackupRow> WatchState::backups() const {
  if (!has_backups_) return sums_of(uploads());
  std::vector<BackupRow> rows;
  for (const auto& [uid, entry] : backups_)
    if (entry.shown) rows.push_back(entry.row);
  std::sort(rows.begin(), rows.end(), [](const BackupRow& a, const BackupRow& b) {
    return std::pair(a.name, a.uid) < std::pair(b.name, b.uid);
  });
  return rows;
}

bool WatchState::all_over() const {
  if (!synced()) return false;
  for (const auto& [uid, entry] : backups_)
    if (entry.shown && !entry.row.over()) return false;
  // Uploads of a backup that is over can end no more; orphans and an agent's decide for themselves.
  return std::all_of(uploads_.begin(), uploads_.end(), [this](const auto& pair) {
    return pair.second.row.over() || shows_backup_of(pair.second.row);
  });
}

bool WatchState::caught_up() const {
  std::map<std::string, std::int64_t> over;
  for (const auto& [id, entry] : uploads_)
    if (entry.row.over()) ++over[entry.row.backup_uid];
  return std::all_of(backups_.begin(), backups_.end(), [&](const auto& pair) {
    return !pair.second.shown || over[pair.first] >= pair.second.row.uploads_over;
  });
}

}  // namespace plimsoll::cli
