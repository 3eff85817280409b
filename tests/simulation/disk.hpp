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

  void write(std::span<const controller::StoreWrite> writes);
  [[nodiscard]] controller::LoadedStore load() const;

  std::map<std::string, controller::BackupRecord> backups;      // by UID
  std::map<std::string, controller::UploadRecord> uploads;      // by id
  std::map<SegmentId, controller::AttemptRecord> attempts;
  std::map<std::string, controller::NodeRecord> nodes;
  std::map<std::string, controller::TombstoneRecord> tombstones;  // by UID

 private:
  void apply(const controller::PutBackup& write) { backups[write.record.uid] = write.record; }
  void apply(const controller::PutUpload& write) { uploads[write.record.id] = write.record; }
  void apply(const controller::PutAttempt& write) { attempts[write.record.segment] = write.record; }
  void apply(const controller::PutNode& write) { nodes[write.record.name] = write.record; }
  void apply(const controller::PutTombstone& write) { tombstones[write.record.uid] = write.record; }
  void apply(const controller::AddEvents&) {}    // history decides nothing
  void apply(const controller::AdoptEvents&) {}  // history decides nothing
  void apply(const controller::DeleteBackup& write);
  void apply(const controller::DeleteAttempt& write) { attempts.erase(write.segment); }
  void apply(const controller::DeleteTombstone& write) { tombstones.erase(write.uid); }

  StoreId id_;
};

}  // namespace plimsoll::sim
