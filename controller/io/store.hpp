// store.hpp - the port behind which backups survive: load everything once, commit batches, read
// history. A store keeps rows and understands none of them, but it refuses to rewrite what has
// ended. tests/unit/store/conformance_test.cpp is the contract in executable form.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "controller/core/store_write.hpp"
#include "schemas/result.hpp"

namespace plimsoll {

// Whose history: an upload's, or, with upload_id "", that of an orphan's segment.
struct HistoryOf {
  std::string upload_id;
  SegmentId segment;
};

// Blocks on disk: one thread at a time, and never the loop once it runs.
class BackupStore {
 public:
  BackupStore() = default;
  BackupStore(const BackupStore&) = delete;
  BackupStore& operator=(const BackupStore&) = delete;
  virtual ~BackupStore() = default;

  // All rows but history. corrupt: something in there no version of ours wrote.
  [[nodiscard]] virtual Result<LoadedStore> load() = 0;

  // All of `writes`, in their order, or none; durable when it returns. no_space: try again later.
  // store_io, corrupt: the disk cannot be trusted any more, stop and start again from what is on
  // it. internal: a write would change what never changes (a phase that is over, how an upload or
  // an attempt ended), or breaks a key.
  [[nodiscard]] virtual Result<void> commit(std::span<const StoreWrite> writes) = 0;

  // The newest kMaxEventsPerUpload, oldest first.
  [[nodiscard]] virtual Result<std::vector<UploadEvent>> read_history(const HistoryOf& of) = 0;
};

}  // namespace plimsoll
