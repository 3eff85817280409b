// deletion.hpp - cancelling uploads, and taking backups away: what is not over is cancelled first,
// and what stays behind remains wanted-cancelled in the tombstone.
#pragma once

#include <string>
#include <string_view>

#include "controller/core/controller_state.hpp"

namespace plimsoll {

// Level-triggered: stays wanted until every attempt has answered. An upload nobody reported is
// canceled at once. Does nothing to one that is over.
void cancel_upload(Turn& turn, std::string_view upload_id, const std::string& reason);
// Idempotent. A backup that is over goes at once; another one is Deleting until everything has
// answered or cancelTimeout has passed.
void delete_backup(Turn& turn, std::string_view uid);
// A Deleting backup whose movers may all have answered by now.
void refresh_deletion(Turn& turn, std::string_view uid);
// It goes now, whatever has not answered.
void finish_deletion(Turn& turn, std::string_view uid);

// A segment of a deleted backup was seen over.
void answer_tombstone(Turn& turn, const SegmentId& segment);

}  // namespace plimsoll
