// backup_phase.hpp - the phases of a backup and the words people and Velero see.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace plimsoll {

enum class BackupPhase : std::uint8_t {  // never renumber: stored
  new_ = 0,
  failed_validation = 1,
  in_progress = 2,
  uploading = 3,
  uploading_partial_failure = 4,
  completed = 5,
  partially_failed = 6,
  failed = 7,
  deleting = 8,
};

struct BackupPhaseWord {
  BackupPhase phase;
  std::string_view word;
  bool terminal;  // never changes again, but for Deleting
};

inline constexpr std::array kBackupPhases = {
    BackupPhaseWord{BackupPhase::new_, "New", false},
    BackupPhaseWord{BackupPhase::failed_validation, "FailedValidation", true},
    BackupPhaseWord{BackupPhase::in_progress, "InProgress", false},
    BackupPhaseWord{BackupPhase::uploading, "Uploading", false},
    BackupPhaseWord{BackupPhase::uploading_partial_failure, "UploadingPartialFailure", false},
    BackupPhaseWord{BackupPhase::completed, "Completed", true},
    BackupPhaseWord{BackupPhase::partially_failed, "PartiallyFailed", true},
    BackupPhaseWord{BackupPhase::failed, "Failed", true},
    BackupPhaseWord{BackupPhase::deleting, "Deleting", false},
};

constexpr std::string_view word(BackupPhase phase) {
  for (const auto& row : kBackupPhases)
    if (row.phase == phase) return row.word;
  return "Unknown";
}

constexpr std::optional<BackupPhase> backup_phase_from_word(std::string_view text) {
  for (const auto& row : kBackupPhases)
    if (row.word == text) return row.phase;
  return std::nullopt;
}

constexpr bool is_terminal(BackupPhase phase) {
  for (const auto& row : kBackupPhases)
    if (row.phase == phase) return row.terminal;
  return false;
}

}  // namespace plimsoll
