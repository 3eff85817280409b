// disk.hpp - the controller's store in a simulated run: what is here survives every crash.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "controller/core/store_write.hpp"

namespace plimsoll::sim {

class Disk {
 public:
  explicit Disk(StoreId id) : id_(id) {}

  void write(std::span<const StoreWrite> writes);
  [[nodiscard]] LoadedStore load() const;

  std::map<std::string, BackupRecord> backups;  // by UID
  std::map<std::string, UploadRecord> uploads;  // by id
  std::map<SegmentId, AttemptRecord> attempts;
  std::map<std::string, NodeRecord> nodes;
  std::map<std::string, TombstoneRecord> tombstones;  // by UID

 private:
  void apply(const PutBackup& write) { backups[write.record.uid] = write.record; }
  void apply(const PutUpload& write) { uploads[write.record.id] = write.record; }
  void apply(const PutAttempt& write) { attempts[write.record.segment] = write.record; }
  void apply(const PutNode& write) { nodes[write.record.name] = write.record; }
  void apply(const PutTombstone& write) { tombstones[write.record.uid] = write.record; }
  void apply(const AddEvents&) {}    // history decides nothing
  void apply(const AdoptEvents&) {}  // history decides nothing
  void apply(const DeleteBackup& write);
  void apply(const DeleteAttempt& write) { attempts.erase(write.segment); }
  void apply(const DeleteTombstone& write) { tombstones.erase(write.uid); }

  StoreId id_;
};

}  // namespace plimsoll::sim
