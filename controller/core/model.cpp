// model.cpp - see model.hpp.
#include "controller/core/model.hpp"

#include <utility>

namespace plimsoll {
namespace {

template <typename Map, typename Key>
auto* find_in(Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

template <typename Map, typename Key>
const auto& find_or_empty(const Map& map, const Key& key) {
  static const typename Map::mapped_type kNothing{};
  const auto* found = find_in(map, key);
  return found != nullptr ? *found : kNothing;
}

template <typename Map, typename Key, typename Value>
void remove_from(Map& map, const Key& key, const Value& value) {
  const auto found = map.find(key);
  if (found == map.end()) return;
  found->second.erase(value);
  if (found->second.empty()) map.erase(found);
}

}  // namespace

const BackupRecord* Model::backup(std::string_view uid) const {
  return find_in(backups_, uid);
}

const BackupRecord* Model::backup_by_name(std::string_view name) const {
  const auto* uid = find_in(uid_of_name_, name);
  return uid != nullptr ? backup(*uid) : nullptr;
}

const BackupRecord* Model::backup_by_either(std::string_view name_or_uid) const {
  const auto* named = backup_by_name(name_or_uid);
  return named != nullptr ? named : backup(name_or_uid);
}

const UploadRecord* Model::upload(std::string_view id) const {
  return find_in(uploads_, id);
}

const UploadRecord* Model::upload_of(std::string_view backup_uid, std::string_view item) const {
  const auto* id = find_in(uploads_of(backup_uid), item);
  return id != nullptr ? upload(*id) : nullptr;
}

const AttemptRecord* Model::attempt(const SegmentId& segment) const {
  return find_in(attempts_, segment);
}

const NodeRecord* Model::node(std::string_view name) const {
  return find_in(nodes_, name);
}

const TombstoneRecord* Model::tombstone(std::string_view uid) const {
  return find_in(tombstones_, uid);
}

const TombstoneRecord* Model::tombstone_of(const SegmentId& segment) const {
  const auto* uid = find_in(tombstone_of_, segment);
  return uid != nullptr ? tombstone(*uid) : nullptr;
}

const TombstoneRecord* Model::youngest_tombstone(std::string_view name_or_uid) const {
  if (const auto* by_uid = tombstone(name_or_uid)) return by_uid;
  const auto& uids = find_or_empty(tombstones_named_, name_or_uid);
  const TombstoneRecord* youngest = nullptr;
  for (const auto& uid : uids) {
    const auto* one = tombstone(uid);
    if (youngest == nullptr || one->born > youngest->born) youngest = one;
  }
  return youngest;
}

BackupRecord* Model::edit_backup(std::string_view uid) {
  return find_in(backups_, uid);
}
UploadRecord* Model::edit_upload(std::string_view id) {
  return find_in(uploads_, id);
}
AttemptRecord* Model::edit_attempt(const SegmentId& segment) {
  return find_in(attempts_, segment);
}
NodeRecord* Model::edit_node(std::string_view name) {
  return find_in(nodes_, name);
}
TombstoneRecord* Model::edit_tombstone(std::string_view uid) {
  return find_in(tombstones_, uid);
}

void Model::put(BackupRecord record) {
  uid_of_name_[record.name] = record.uid;
  auto uid = record.uid;
  backups_.insert_or_assign(std::move(uid), std::move(record));
}

void Model::put(UploadRecord record) {
  uploads_of_[record.backup_uid][record.item] = record.id;
  if (!record.snapshot_id.empty()) with_snapshot_[record.snapshot_id].insert(record.id);
  if (!record.volume_id.empty()) with_volume_[record.volume_id].insert(record.id);
  auto id = record.id;
  uploads_.insert_or_assign(std::move(id), std::move(record));
}

void Model::put(AttemptRecord record) {
  if (const auto* known = attempt(record.segment)) unindex_attempt(*known);
  index_attempt(record);
  const auto segment = record.segment;
  attempts_.insert_or_assign(segment, std::move(record));
}

void Model::put(NodeRecord record) {
  auto name = record.name;
  nodes_.insert_or_assign(std::move(name), std::move(record));
}

void Model::put(TombstoneRecord record) {
  erase_tombstone(record.uid);
  tombstones_named_[record.name].insert(record.uid);
  for (const auto& left : record.left_behind)
    tombstone_of_[left.segment] = record.uid;
  auto uid = record.uid;
  tombstones_.insert_or_assign(std::move(uid), std::move(record));
}

void Model::index_attempt(const AttemptRecord& record) {
  attempts_on_[record.node].insert(record.segment);
  if (record.upload_id.empty())
    orphans_.insert(record.segment);
  else
    attempts_of_[record.upload_id].insert(record.segment);
}

void Model::unindex_attempt(const AttemptRecord& record) {
  remove_from(attempts_on_, record.node, record.segment);
  remove_from(attempts_of_, record.upload_id, record.segment);
  orphans_.erase(record.segment);
}

void Model::erase_attempt(const SegmentId& segment) {
  const auto* known = attempt(segment);
  if (known == nullptr) return;
  unindex_attempt(*known);
  attempts_.erase(segment);
}

void Model::erase_upload(const std::string& id) {
  const auto* known = upload(id);
  if (known == nullptr) return;
  const auto segments = attempts_of(id);
  for (const auto& segment : segments)
    erase_attempt(segment);
  remove_from(with_snapshot_, known->snapshot_id, id);
  remove_from(with_volume_, known->volume_id, id);
  uploads_.erase(id);
}

void Model::erase_backup(std::string_view uid) {
  const auto found = backups_.find(uid);
  if (found == backups_.end()) return;
  const auto items = uploads_of(uid);
  for (const auto& [item, id] : items)
    erase_upload(id);
  const auto list = uploads_of_.find(uid);
  if (list != uploads_of_.end()) uploads_of_.erase(list);
  const auto named = uid_of_name_.find(found->second.name);
  if (named != uid_of_name_.end() && named->second == uid) uid_of_name_.erase(named);
  backups_.erase(found);
}

void Model::erase_tombstone(std::string_view uid) {
  const auto found = tombstones_.find(uid);
  if (found == tombstones_.end()) return;
  remove_from(tombstones_named_, found->second.name, found->first);
  for (const auto& left : found->second.left_behind)
    tombstone_of_.erase(left.segment);
  tombstones_.erase(found);
}

void Model::apply(const StoreWrite& write) {
  if (const auto* backup_row = std::get_if<PutBackup>(&write)) put(backup_row->record);
  if (const auto* upload_row = std::get_if<PutUpload>(&write)) put(upload_row->record);
  if (const auto* attempt_row = std::get_if<PutAttempt>(&write)) put(attempt_row->record);
  if (const auto* node_row = std::get_if<PutNode>(&write)) put(node_row->record);
  if (const auto* tombstone_row = std::get_if<PutTombstone>(&write)) put(tombstone_row->record);
  if (const auto* gone = std::get_if<DeleteBackup>(&write)) erase_backup(gone->uid);
  if (const auto* gone = std::get_if<DeleteAttempt>(&write)) erase_attempt(gone->segment);
  if (const auto* gone = std::get_if<DeleteTombstone>(&write)) erase_tombstone(gone->uid);
}

const ByName<std::string>& Model::uploads_of(std::string_view backup_uid) const {
  return find_or_empty(uploads_of_, backup_uid);
}
const std::set<SegmentId>& Model::attempts_of(std::string_view upload_id) const {
  return find_or_empty(attempts_of_, upload_id);
}
const std::set<SegmentId>& Model::attempts_on(std::string_view node) const {
  return find_or_empty(attempts_on_, node);
}
const std::set<std::string>& Model::uploads_with_snapshot(std::string_view id) const {
  return find_or_empty(with_snapshot_, id);
}
const std::set<std::string>& Model::uploads_with_volume(std::string_view id) const {
  return find_or_empty(with_volume_, id);
}

}  // namespace plimsoll
