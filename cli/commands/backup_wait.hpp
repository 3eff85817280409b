// backup_wait.hpp - waits for a backup's end, over restarts of the controller.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/documents.hpp"
#include "cli/session.hpp"

namespace plimsoll::cli {

enum class WaitGoal { terminal, completed, deleted };

[[nodiscard]] std::optional<WaitGoal> goal_from_word(std::string_view word);

struct WaitOptions {
  std::string name;
  WaitGoal goal = WaitGoal::terminal;
  std::string uid;  // "" = whichever is met first under that name
};

// Exit codes that only `backup wait` has (contract: "Command line and exit codes").
inline constexpr int kWaitPartiallyFailed = 3;
inline constexpr int kWaitNoSuchBackup = 4;
inline constexpr int kWaitDeleted = 5;

// Pure: the exit code once a state of the backup ends the wait.
[[nodiscard]] std::optional<int> exit_of_phase(const BackupRow& backup, WaitGoal goal);
// The code for a backup that is gone. `was_there`: seen by us, or the server has a tombstone of it.
[[nodiscard]] int exit_of_gone(WaitGoal goal, bool was_there);

// With --timeout: 124 when it has passed. 69 when nobody has answered for 30 s.
[[nodiscard]] int wait_for_backup(Session& session, const WaitOptions& options);

}  // namespace plimsoll::cli
