// bind_report.hpp - which upload a segment belongs to. Decided once, at first sight, and stored;
// never guessed.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "controller/core/controller_state.hpp"
#include "controller/core/uplink/attempts.hpp"

namespace plimsoll {

struct BoundTo {
  std::string upload_id;
};
struct Orphaned {
  std::string reason;
};
struct OfTombstone {
  std::string uid;
};
using Binding = std::variant<BoundTo, Orphaned, OfTombstone>;

// May make a backup or an item where the identity asks for it (auto_backup).
[[nodiscard]] Binding bind_attempt(Turn& turn, const AttemptRecord& attempt);

// Stores `attempt` as the upload's, with its ordinal.
void join_upload(Turn& turn, AttemptRecord attempt, const std::string& upload_id);

// false: no room for another orphan.
[[nodiscard]] bool keep_orphan(Turn& turn, AttemptRecord attempt, std::string reason);

// An orphan that is over is kept for keepOrphans.
void refresh_orphan(Turn& turn, const AttemptRecord& attempt);

// A backup or an item is new: orphans that belong there are adopted.
void adopt_orphans(Turn& turn, std::string_view backup_uid);

}  // namespace plimsoll
