// model.hpp - all rows in memory, with the ways to find them. Two of these exist: what the core is
// working on, and what the store has committed (which is all that clients see).
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "controller/core/records.hpp"
#include "controller/core/store_write.hpp"

namespace plimsoll {

template <typename T>
using ByName = std::map<std::string, T, std::less<>>;

class Model {
 public:
  // Each find returns nullptr where there is none; pointers live until that row is erased.
  [[nodiscard]] const BackupRecord* backup(std::string_view uid) const;
  [[nodiscard]] const BackupRecord* backup_by_name(std::string_view name) const;
  [[nodiscard]] const BackupRecord* backup_by_either(std::string_view name_or_uid) const;
  [[nodiscard]] const UploadRecord* upload(std::string_view id) const;
  [[nodiscard]] const UploadRecord* upload_of(std::string_view backup_uid,
                                              std::string_view item) const;
  [[nodiscard]] const AttemptRecord* attempt(const SegmentId& segment) const;
  [[nodiscard]] const NodeRecord* node(std::string_view name) const;
  [[nodiscard]] const TombstoneRecord* tombstone(std::string_view uid) const;
  [[nodiscard]] const TombstoneRecord* tombstone_of(const SegmentId& segment) const;
  // Of that name, the youngest; by name or UID.
  [[nodiscard]] const TombstoneRecord* youngest_tombstone(std::string_view name_or_uid) const;

  // The fields that rows are found by (keys, names, snapshot and volume ids, upload_id, node) must
  // not be edited.
  [[nodiscard]] BackupRecord* edit_backup(std::string_view uid);
  [[nodiscard]] UploadRecord* edit_upload(std::string_view id);
  [[nodiscard]] AttemptRecord* edit_attempt(const SegmentId& segment);
  [[nodiscard]] NodeRecord* edit_node(std::string_view name);
  [[nodiscard]] TombstoneRecord* edit_tombstone(std::string_view uid);

  // Insert or replace.
  void put(BackupRecord record);
  void put(UploadRecord record);
  void put(AttemptRecord record);
  void put(NodeRecord record);
  void put(TombstoneRecord record);
  void erase_backup(std::string_view uid);  // with its uploads and their attempts
  void erase_attempt(const SegmentId& segment);
  void erase_tombstone(std::string_view uid);
  void apply(const StoreWrite& write);

  [[nodiscard]] const ByName<BackupRecord>& backups() const { return backups_; }
  [[nodiscard]] const ByName<std::string>& backup_uids() const {
    return uid_of_name_;
  }  // name → UID
  [[nodiscard]] const ByName<UploadRecord>& uploads() const { return uploads_; }
  [[nodiscard]] const ByName<NodeRecord>& nodes() const { return nodes_; }
  [[nodiscard]] const ByName<TombstoneRecord>& tombstones() const { return tombstones_; }
  [[nodiscard]] const std::map<SegmentId, AttemptRecord>& attempts() const { return attempts_; }
  [[nodiscard]] const std::set<SegmentId>& orphans() const { return orphans_; }
  // item → upload id
  [[nodiscard]] const ByName<std::string>& uploads_of(std::string_view backup_uid) const;
  [[nodiscard]] const std::set<SegmentId>& attempts_of(std::string_view upload_id) const;
  [[nodiscard]] const std::set<SegmentId>& attempts_on(std::string_view node) const;
  [[nodiscard]] const std::set<std::string>& uploads_with_snapshot(std::string_view id) const;
  [[nodiscard]] const std::set<std::string>& uploads_with_volume(std::string_view id) const;

 private:
  void index_attempt(const AttemptRecord& record);
  void unindex_attempt(const AttemptRecord& record);
  void erase_upload(const std::string& id);

  ByName<BackupRecord> backups_;
  ByName<UploadRecord> uploads_;
  std::map<SegmentId, AttemptRecord> attempts_;
  ByName<NodeRecord> nodes_;
  ByName<TombstoneRecord> tombstones_;

  ByName<std::string> uid_of_name_;
  ByName<ByName<std::string>> uploads_of_;
  ByName<std::set<SegmentId>> attempts_of_;
  ByName<std::set<SegmentId>> attempts_on_;
  ByName<std::set<std::string>> with_snapshot_;
  ByName<std::set<std::string>> with_volume_;
  ByName<std::set<std::string>> tombstones_named_;
  std::set<SegmentId> orphans_;
  std::map<SegmentId, std::string> tombstone_of_;
};

}  // namespace plimsoll
