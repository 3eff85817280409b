// documents.hpp - backups and nodes as clients see them (an upload: schemas/upload_document.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "controller/core/records.hpp"
#include "schemas/upload_document.hpp"

namespace plimsoll {

// Uploads by state; index = UploadState.
using StateCounts = std::array<std::uint32_t, kUploadStates.size()>;

struct BackupTotals {
  std::int64_t items_completed = 0;
  std::optional<std::int64_t> items_to_complete;  // absent if any upload's is not known
  std::uint32_t unknown = 0;  // uploads whose total is not known, or in other units
  std::uint32_t uploads = 0;
  std::uint32_t uploads_over = 0;
  std::optional<double> rate;
  std::optional<std::int64_t> eta_seconds;
};

struct BackupItem {
  std::string item;
  std::string snapshot_id;
  std::string volume_id;
  std::uint32_t parts = 0;
};

struct BackupDocument {
  std::string name;
  std::string uid;
  std::optional<WallTime> created;
  std::vector<BackupItem> items;  // by name; empty in lists (queries.hpp)
  SealMode seal = SealMode::manual;
  BackupSource source = BackupSource::api;
  std::uint32_t owner_uid = 0;
  BackupPhase phase = BackupPhase::new_;
  std::optional<WallTime> started;
  std::optional<WallTime> completed;
  StateCounts counts{};
  BackupTotals totals;
  std::vector<BackupMessage> errors;
  std::vector<BackupMessage> warnings;
  std::vector<LeftBehind> left_behind;  // while Deleting: what has not answered yet
};

struct NodeDocument {
  std::string name;
  BootId boot;
  std::string agent_version;
  std::uint64_t session = 0;
  Freshness freshness = Freshness::live;
  std::int64_t freshness_age_seconds = 0;
  std::uint32_t uploads = 0;  // not over, whose newest attempt is there
};

}  // namespace plimsoll
