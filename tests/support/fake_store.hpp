// fake_store.hpp - a store in memory with the rules of the real one, that can fail on demand. What
// was committed outlives the controller under test: hand the same FakeDisk to the next FakeStore.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "controller/io/store.hpp"

namespace plimsoll {

// What survives a crash.
struct FakeDisk {
  StoreId id{1, 2};
  std::map<std::string, BackupRecord> backups;
  std::map<std::string, UploadRecord> uploads;
  std::map<SegmentId, AttemptRecord> attempts;
  std::map<std::string, NodeRecord> nodes;
  std::map<std::string, TombstoneRecord> tombstones;
  // In the order they were added. The real store says nothing about history in load() either.
  struct StoredEvent {
    std::string history_of;
    SegmentId segment;
    UploadEvent event;
  };
  std::vector<StoredEvent> events;
};

class FakeStore final : public BackupStore {
 public:
  explicit FakeStore(FakeDisk& disk) : disk_(disk) {}

  // The n-th call from now on (1 = the next) fails with `error` and changes nothing; later ones
  // succeed.
  void fail_call(std::uint64_t n, Error error);
  // Every commit fails until called with nothing.
  void fail_commits(std::optional<Error> error) { commits_fail_ = std::move(error); }
  [[nodiscard]] std::uint64_t calls() const { return calls_; }

  Result<LoadedStore> load() override;
  Result<void> commit(std::span<const StoreWrite> writes) override;
  Result<std::vector<UploadEvent>> read_history(const HistoryOf& of) override;

 private:
  std::optional<Error> next_failure();

  FakeDisk& disk_;
  std::uint64_t calls_ = 0;
  std::uint64_t failing_call_ = 0;
  Error failure_;
  std::optional<Error> commits_fail_;
};

}  // namespace plimsoll
