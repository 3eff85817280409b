// disk.cpp - rows in maps; a batch is all or nothing because nothing comes between.
#include "tests/simulation/disk.hpp"

namespace plimsoll::sim {
namespace {

template <typename Map, typename Rows>
void copy_rows(const Map& from, Rows& to) {
  for (const auto& [key, row] : from)
    to.push_back(row);
}

}  // namespace

void Disk::write(std::span<const StoreWrite> writes) {
  for (const auto& write : writes)
    std::visit([this](const auto& one) { apply(one); }, write);
}

void Disk::apply(const DeleteBackup& write) {
  std::set<std::string> ids;
  std::erase_if(uploads, [&](const auto& entry) {
    const bool gone = entry.second.backup_uid == write.uid;
    if (gone) ids.insert(entry.first);
    return gone;
  });
  std::erase_if(attempts, [&](const auto& entry) { return ids.contains(entry.second.upload_id); });
  backups.erase(write.uid);
}

LoadedStore Disk::load() const {
  LoadedStore loaded;
  loaded.id = id_;
  copy_rows(backups, loaded.backups);
  copy_rows(uploads, loaded.uploads);
  copy_rows(attempts, loaded.attempts);
  copy_rows(nodes, loaded.nodes);
  copy_rows(tombstones, loaded.tombstones);
  return loaded;
}

}  // namespace plimsoll::sim
