// sqlite_store.hpp - the embedded store: one SQLite file, one connection, WAL, every commit synced
// to disk.
#pragma once

#include <memory>
#include <string>

#include "controller/io/store.hpp"

namespace plimsoll {

class SqliteStore final : public BackupStore {
 public:
  // Opens the store at `path`, or makes a new one (0600) where there is no file. Never recreates or
  // repairs one: corrupt (damaged, or not ours) and unsupported (a newer version) leave it
  // untouched. address_in_use: another process has it open. permission, no_space, store_io, config
  // (a symlink).
  static Result<std::unique_ptr<SqliteStore>> open(const std::string& path);
  ~SqliteStore() override;

  Result<LoadedStore> load() override;
  Result<void> commit(std::span<const StoreWrite> writes) override;
  Result<std::vector<UploadEvent>> read_history(const HistoryOf& of) override;

 private:
  struct Statements;
  explicit SqliteStore(std::unique_ptr<Statements> statements);
  std::unique_ptr<Statements> statements_;
};

}  // namespace plimsoll
