// laws.hpp - what must hold after every action of a simulated run (names as in docs/testing.md).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "schemas/backup_phase.hpp"
#include "tests/simulation/disk.hpp"
#include "tests/simulation/truth.hpp"
#include "tests/simulation/wire.hpp"

namespace plimsoll::sim {

struct Context;

struct Violation {
  std::string law;
  std::string text;
};

class Laws {
 public:
  // S1, S2 and "no Completed after delete" (S8) over what is committed.
  void check_disk(const Disk& disk, const std::vector<BackupTruth>& backups);
  // S5: called when the controller sends an acknowledgement for these batches.
  void check_ack(const Disk& disk, std::span<const Batch> acked, const Ack& ack);
  // S8: called while everything has been connected for `calm`.
  void check_cancels(const Context& world, Duration calm);
  // S15: no end is thrown away before it is committed.
  void check_unlink(const Context& world, const Mover& mover);
  // S5 for answers to clients: an acknowledged deletion is in the store.
  void check_deleted(const Disk& disk, const std::string& uid);
  // L1: at the end of the quiet time.
  void check_settled(const Disk& disk);

  void broken(std::string law, std::string text);
  [[nodiscard]] const std::optional<Violation>& violation() const { return violation_; }

 private:
  void check_completed(const Disk& disk, const BackupTruth& truth, const std::string& uid);
  void check_phase_step(const std::string& uid, BackupPhase from, BackupPhase to);

  std::optional<Violation> violation_;       // the first one
  std::map<std::string, BackupPhase> seen_;  // by UID: the last committed phase
};

}  // namespace plimsoll::sim
