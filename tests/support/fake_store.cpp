// fake_store.cpp - the rules, once more and on purpose: the conformance suite keeps both alike.
#include "tests/support/fake_store.hpp"

#include <algorithm>

#include "schemas/backup_phase.hpp"

namespace plimsoll {
namespace {

std::string key_of(const HistoryOf& of) {
  return of.upload_id.empty() ? to_hex(of.segment) : of.upload_id;
}

Failure never_changes(const char* what) {
  return fail(ErrorCode::internal, std::string("commit: it would change ") + what);
}

bool may_become(const BackupRecord& known, const BackupRecord& next) {
  if (known.failed_latched && !next.failed_latched) return false;
  if (known.phase == next.phase) return true;
  if (is_terminal(known.phase)) return next.phase == BackupPhase::deleting;
  return known.phase != BackupPhase::deleting;
}

bool same_end(const UploadEnd& a, const UploadEnd& b) {
  return a.outcome == b.outcome && a.err == b.err && a.at == b.at &&
         a.items_completed == b.items_completed && a.items_to_complete == b.items_to_complete;
}

template <typename Record>
std::vector<Record> values_of(const auto& map) {
  std::vector<Record> all;
  for (const auto& [key, record] : map)
    all.push_back(record);
  return all;
}

class Writing {
 public:
  explicit Writing(FakeDisk& disk) : disk_(disk) {}

  Result<void> operator()(const PutBackup& put) {
    for (const auto& [uid, backup] : disk_.backups)
      if (uid != put.record.uid && backup.name == put.record.name)
        return fail(ErrorCode::internal, "commit: two backups of one name");
    const auto known = disk_.backups.find(put.record.uid);
    if (known != disk_.backups.end() && !may_become(known->second, put.record))
      return never_changes("a backup");
    disk_.backups[put.record.uid] = put.record;
    return {};
  }
  Result<void> operator()(const PutUpload& put) {
    for (const auto& [id, upload] : disk_.uploads)
      if (id != put.record.id && upload.backup_uid == put.record.backup_uid &&
          upload.item == put.record.item)
        return fail(ErrorCode::internal, "commit: two uploads of one item");
    const auto known = disk_.uploads.find(put.record.id);
    if (known != disk_.uploads.end() && known->second.end &&
        !(put.record.end && same_end(*known->second.end, *put.record.end)))
      return never_changes("an upload");
    disk_.uploads[put.record.id] = put.record;
    return {};
  }
  Result<void> operator()(const PutAttempt& put) {
    const auto known = disk_.attempts.find(put.record.segment);
    if (known != disk_.attempts.end()) {
      if (known->second.terminal && known->second.terminal != put.record.terminal)
        return never_changes("an attempt");
      const auto& upload = known->second.upload_id;
      if (!upload.empty() && upload != put.record.upload_id) return never_changes("an attempt");
    }
    disk_.attempts[put.record.segment] = put.record;
    return {};
  }
  Result<void> operator()(const PutNode& put) {
    const auto known = disk_.nodes.find(put.record.name);
    if (known != disk_.nodes.end() && known->second.session > put.record.session)
      return never_changes("a node");
    disk_.nodes[put.record.name] = put.record;
    return {};
  }
  Result<void> operator()(const PutTombstone& put) {
    disk_.tombstones[put.record.uid] = put.record;
    return {};
  }
  Result<void> operator()(const AddEvents& add) {
    for (const auto& record : add.events) {
      const auto key = key_of({record.upload_id, record.segment});
      const bool known =
          std::any_of(disk_.events.begin(), disk_.events.end(), [&record](const auto& stored) {
            return stored.segment == record.segment && stored.event == record.event;
          });
      if (!known) disk_.events.push_back({key, record.segment, record.event});
      prune(key);
    }
    return {};
  }
  Result<void> operator()(const AdoptEvents& adopt) {
    for (auto& stored : disk_.events)
      if (stored.segment == adopt.segment) stored.history_of = adopt.upload_id;
    prune(adopt.upload_id);
    return {};
  }
  Result<void> operator()(const DeleteBackup& gone) {
    for (const auto& upload : values_of<UploadRecord>(disk_.uploads)) {
      if (upload.backup_uid != gone.uid) continue;
      std::erase_if(disk_.events,
                    [&](const auto& stored) { return stored.history_of == upload.id; });
      std::erase_if(disk_.attempts,
                    [&](const auto& row) { return row.second.upload_id == upload.id; });
      disk_.uploads.erase(upload.id);
    }
    disk_.backups.erase(gone.uid);
    return {};
  }
  Result<void> operator()(const DeleteAttempt& gone) {
    std::erase_if(disk_.events, [&](const auto& stored) { return stored.segment == gone.segment; });
    disk_.attempts.erase(gone.segment);
    return {};
  }
  Result<void> operator()(const DeleteTombstone& gone) {
    disk_.tombstones.erase(gone.uid);
    return {};
  }

 private:
  // Drops the oldest (by the producers' time, then by arrival) beyond the bound.
  void prune(const std::string& key) {
    const auto is_of = [&key](const auto& stored) { return stored.history_of == key; };
    while (static_cast<std::size_t>(std::count_if(disk_.events.begin(), disk_.events.end(),
                                                  is_of)) > kMaxEventsPerUpload) {
      auto oldest = disk_.events.end();
      for (auto it = disk_.events.begin(); it != disk_.events.end(); ++it) {
        if (!is_of(*it)) continue;
        if (oldest == disk_.events.end() || it->event.at_unix_ms < oldest->event.at_unix_ms)
          oldest = it;
      }
      disk_.events.erase(oldest);
    }
  }

  FakeDisk& disk_;
};

}  // namespace

void FakeStore::fail_call(std::uint64_t n, Error error) {
  failing_call_ = calls_ + n;
  failure_ = std::move(error);
}

std::optional<Error> FakeStore::next_failure() {
  if (++calls_ == failing_call_) return failure_;
  return std::nullopt;
}

Result<LoadedStore> FakeStore::load() {
  if (auto error = next_failure()) return fail(*error);
  return LoadedStore{disk_.id,
                     values_of<BackupRecord>(disk_.backups),
                     values_of<UploadRecord>(disk_.uploads),
                     values_of<AttemptRecord>(disk_.attempts),
                     values_of<NodeRecord>(disk_.nodes),
                     values_of<TombstoneRecord>(disk_.tombstones)};
}

Result<void> FakeStore::commit(std::span<const StoreWrite> writes) {
  if (auto error = next_failure()) return fail(*error);
  if (commits_fail_) return fail(*commits_fail_);
  FakeDisk changed = disk_;  // all or nothing
  for (const auto& write : writes)
    if (auto done = std::visit(Writing(changed), write); !done) return done;
  disk_ = std::move(changed);
  return {};
}

Result<std::vector<UploadEvent>> FakeStore::read_history(const HistoryOf& of) {
  if (auto error = next_failure()) return fail(*error);
  std::vector<UploadEvent> events;
  for (const auto& stored : disk_.events)
    if (stored.history_of == key_of(of)) events.push_back(stored.event);
  std::stable_sort(events.begin(), events.end(),
                   [](const auto& a, const auto& b) { return a.at_unix_ms < b.at_unix_ms; });
  return events;
}

}  // namespace plimsoll
