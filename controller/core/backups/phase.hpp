// phase.hpp - how a backup's phase may change, as one table. Everything not in it is refused.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "schemas/backup_phase.hpp"

namespace plimsoll {

enum class PhaseEvent : std::uint8_t {
  validated,            // a request that came as an object is good
  refused,              // … is not
  auto_item,            // `seal: auto` has its first item
  sealed_well,          // no failure so far, something not over
  sealed_with_failure,  // sealed partial, or an upload failed before; something not over
  sealed_failed,        // sealed as failed, by a person or by sealTimeout
  cut_off,              // a restart cut off a snapshot run of the controller itself
  failure_latched,      // an upload failed for good
  all_durable,          // what is expected is fixed, and each upload is durable
  all_over,             // what is expected is fixed, each upload over, some failure
  delete_asked,
};

inline constexpr std::size_t kPhaseEvents = 11;

struct PhaseChange {
  BackupPhase from;
  PhaseEvent event;
  BackupPhase to;
};

inline constexpr std::array kPhaseChanges = {
    PhaseChange{BackupPhase::new_, PhaseEvent::validated, BackupPhase::in_progress},
    PhaseChange{BackupPhase::new_, PhaseEvent::refused, BackupPhase::failed_validation},
    PhaseChange{BackupPhase::new_, PhaseEvent::delete_asked, BackupPhase::deleting},
    PhaseChange{BackupPhase::failed_validation, PhaseEvent::delete_asked, BackupPhase::deleting},
    PhaseChange{BackupPhase::in_progress, PhaseEvent::auto_item, BackupPhase::uploading},
    PhaseChange{BackupPhase::in_progress, PhaseEvent::sealed_well, BackupPhase::uploading},
    PhaseChange{BackupPhase::in_progress, PhaseEvent::sealed_with_failure,
                BackupPhase::uploading_partial_failure},
    PhaseChange{BackupPhase::in_progress, PhaseEvent::sealed_failed, BackupPhase::failed},
    PhaseChange{BackupPhase::in_progress, PhaseEvent::cut_off, BackupPhase::failed},
    PhaseChange{BackupPhase::in_progress, PhaseEvent::all_durable, BackupPhase::completed},
    PhaseChange{BackupPhase::in_progress, PhaseEvent::all_over, BackupPhase::partially_failed},
    PhaseChange{BackupPhase::in_progress, PhaseEvent::delete_asked, BackupPhase::deleting},
    PhaseChange{BackupPhase::uploading, PhaseEvent::failure_latched,
                BackupPhase::uploading_partial_failure},
    PhaseChange{BackupPhase::uploading, PhaseEvent::all_durable, BackupPhase::completed},
    PhaseChange{BackupPhase::uploading, PhaseEvent::delete_asked, BackupPhase::deleting},
    PhaseChange{BackupPhase::uploading_partial_failure, PhaseEvent::all_over,
                BackupPhase::partially_failed},
    PhaseChange{BackupPhase::uploading_partial_failure, PhaseEvent::delete_asked,
                BackupPhase::deleting},
    PhaseChange{BackupPhase::completed, PhaseEvent::delete_asked, BackupPhase::deleting},
    PhaseChange{BackupPhase::partially_failed, PhaseEvent::delete_asked, BackupPhase::deleting},
    PhaseChange{BackupPhase::failed, PhaseEvent::delete_asked, BackupPhase::deleting},
};

// The phase after `event`; nothing where the table has no such row.
[[nodiscard]] constexpr std::optional<BackupPhase> next_phase(BackupPhase from, PhaseEvent event) {
  for (const auto& row : kPhaseChanges)
    if (row.from == from && row.event == event) return row.to;
  return std::nullopt;
}

}  // namespace plimsoll
