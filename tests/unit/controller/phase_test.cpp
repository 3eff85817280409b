// phase_test.cpp - the phase table, every pair of it.
#include <catch2/catch.hpp>

#include <set>
#include <utility>

#include "controller/core/backups/phase.hpp"

namespace plimsoll {
namespace {

std::set<std::pair<BackupPhase, PhaseEvent>> allowed() {
  using P = BackupPhase;
  using E = PhaseEvent;
  return {{P::new_, E::validated},
          {P::new_, E::refused},
          {P::in_progress, E::auto_item},
          {P::in_progress, E::sealed_well},
          {P::in_progress, E::sealed_with_failure},
          {P::in_progress, E::sealed_failed},
          {P::in_progress, E::cut_off},
          {P::in_progress, E::all_durable},
          {P::in_progress, E::all_over},
          {P::uploading, E::failure_latched},
          {P::uploading, E::all_durable},
          {P::uploading_partial_failure, E::all_over}};
}

TEST_CASE("every pair of phase and event is either in the design or refused") {
  for (const auto& row : kBackupPhases)
    for (std::size_t number = 0; number < kPhaseEvents; ++number) {
      const auto event = static_cast<PhaseEvent>(number);
      const auto next = next_phase(row.phase, event);
      CAPTURE(word(row.phase), number);
      if (event == PhaseEvent::delete_asked) {
        CHECK(next.has_value() == (row.phase != BackupPhase::deleting));
        if (next) CHECK(*next == BackupPhase::deleting);
      } else {
        CHECK(next.has_value() == (allowed().count({row.phase, event}) == 1));
      }
    }
}

TEST_CASE("a phase that is over leads only to Deleting, and Deleting leads nowhere") {
  for (const auto& change : kPhaseChanges) {
    CHECK(change.from != BackupPhase::deleting);
    if (is_terminal(change.from)) CHECK(change.to == BackupPhase::deleting);
  }
}

TEST_CASE("a partial failure never leads to Completed or back to Uploading") {
  for (const auto& change : kPhaseChanges)
    if (change.from == BackupPhase::uploading_partial_failure)
      CHECK((change.to == BackupPhase::partially_failed || change.to == BackupPhase::deleting));
}

TEST_CASE("no row of the table is there twice") {
  std::set<std::pair<BackupPhase, PhaseEvent>> seen;
  for (const auto& change : kPhaseChanges)
    CHECK(seen.insert({change.from, change.event}).second);
}

}  // namespace
}  // namespace plimsoll
