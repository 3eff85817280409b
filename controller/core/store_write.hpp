// store_write.hpp - what the core asks of a store: a batch of writes, all or nothing; and what a
// store loads.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "controller/core/records.hpp"
#include "schemas/ids.hpp"

namespace plimsoll {

// Insert, or replace the row with the same key.
struct PutBackup {
  BackupRecord record;
};
struct PutUpload {
  UploadRecord record;
};
struct PutAttempt {
  AttemptRecord record;
};
struct PutNode {
  NodeRecord record;
};
struct PutTombstone {
  TombstoneRecord record;
};
// Adds history; a (segment, event) that is there already is left alone.
struct AddEvents {
  std::vector<EventRecord> events;
};
// An orphan was adopted: its history now belongs to the upload.
struct AdoptEvents {
  SegmentId segment;
  std::string upload_id;
};
// With its uploads, their attempts and all their history.
struct DeleteBackup {
  std::string uid;
};
// With its history.
struct DeleteAttempt {
  SegmentId segment;
};
struct DeleteTombstone {
  std::string uid;
};

using StoreWrite = std::variant<PutBackup, PutUpload, PutAttempt, PutNode, PutTombstone, AddEvents,
                                AdoptEvents, DeleteBackup, DeleteAttempt, DeleteTombstone>;

// Everything but history, which stays in the store.
struct LoadedStore {
  StoreId id;
  std::vector<BackupRecord> backups;
  std::vector<UploadRecord> uploads;
  std::vector<AttemptRecord> attempts;
  std::vector<NodeRecord> nodes;
  std::vector<TombstoneRecord> tombstones;
};

}  // namespace plimsoll
