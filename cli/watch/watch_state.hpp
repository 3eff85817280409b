// watch_state.hpp - what `plimsoll watch` knows: the newest row of every object, over
// reconnections. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/client.hpp"
#include "cli/documents.hpp"
#include "schemas/time.hpp"

namespace plimsoll::cli {

enum class Stream : std::uint8_t { uploads, backups };

// What to say of one event in plain mode: only changes of state or phase, and ends.
struct WatchChange {
  enum class Kind { upload, upload_gone, backup, backup_gone };
  Kind kind = Kind::upload;
  std::string key;  // upload id or backup UID
  UploadRow upload;
  BackupRow backup;
};

class WatchState {
 public:
  // `names` = the backups to watch; empty = all. `has_backups` is false with an agent alone.
  WatchState(std::vector<std::string> names, bool has_backups);

  // A connection is being made: a full set comes, ended by the bookmark `synced`.
  void begin(Stream stream);
  // One line. Changes are told once; what a full set no longer holds is told as gone.
  [[nodiscard]] std::vector<WatchChange> apply(Stream stream, const WatchEvent& event);
  // The connection is gone; what was known stays. `when` only for showing.
  void lose(Stream stream, const std::string& why, WallTime when);

  [[nodiscard]] bool synced() const;  // every stream has delivered its full set at least once
  // Since when, and why, a stream is down; nothing if all are up.
  struct Outage {
    WallTime since{};
    std::string why;
  };
  [[nodiscard]] std::optional<Outage> outage() const;

  // What is worth a row: everything of the watched backups, else what is not over and what ended
  // while we watched.
  [[nodiscard]] std::vector<UploadRow> uploads() const;
  // The same for backups, by name. With an agent alone: sums made of its uploads, without a phase.
  [[nodiscard]] std::vector<BackupRow> backups() const;
  // Everything shown is over or gone.
  [[nodiscard]] bool all_over() const;
  // As many uploads are known to be over as their backups say: the two streams do not wait for each
  // other, and the last word on an upload should be seen.
  [[nodiscard]] bool caught_up() const;
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  template <typename Row>
  struct Entry {
    Row row;
    std::uint64_t generation = 0;  // of the full set that last held it
    bool shown = false;
  };
  struct Link {
    std::uint64_t generation = 0;
    bool synced_once = false;
    bool in_full_set = true;
    std::optional<Outage> outage;
  };

  [[nodiscard]] bool is_watched(const std::string& backup) const;
  [[nodiscard]] Link& link(Stream stream);
  void take_upload(const WatchEvent& event, std::vector<WatchChange>& changes);
  void take_backup(const WatchEvent& event, std::vector<WatchChange>& changes);
  void finish_full_set(Stream stream, std::vector<WatchChange>& changes);
  [[nodiscard]] bool shows_backup_of(const UploadRow& upload) const;

  std::vector<std::string> names_;
  bool has_backups_;
  Link uploads_link_, backups_link_;
  std::map<std::string, Entry<UploadRow>> uploads_;
  std::map<std::string, Entry<BackupRow>> backups_;
};

}  // namespace plimsoll::cli
