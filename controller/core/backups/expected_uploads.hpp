// expected_uploads.hpp - what a backup waits for: its uploads, when each is over, and what that
// does to its phase.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "controller/core/api_calls.hpp"
#include "controller/core/backups/phase.hpp"
#include "controller/core/controller_state.hpp"
#include "schemas/merge.hpp"

namespace plimsoll {

struct NewBackup {
  std::string name;  // checked, and free
  std::string uid;   // "" = chosen here
  SealMode seal = SealMode::manual;
  BackupSource source = BackupSource::api;
  std::uint32_t owner_uid = 0;
};

// Makes a backup, InProgress and without items. The reference lives until the backup is erased.
BackupRecord& create_backup(Turn& turn, NewBackup request);

[[nodiscard]] bool is_live(const BackupRecord& backup);  // neither over nor Deleting
[[nodiscard]] bool has_room_for_backup(const ControllerState& state);

// Puts an item into a backup (which must not be fixed, nor over) and arms what will end it. Returns
// the upload's id.
std::string add_upload(Turn& turn, BackupRecord& backup, const ItemSpec& spec,
                       std::uint32_t owner_uid);

// uploadTimeout counts from here: an attempt is new, or progress was made.
void begin_upload_timeout(Turn& turn, const UploadRecord& upload);

// An upload is over, for good. Does nothing if it was already.
void latch_upload(Turn& turn, UploadRecord& upload, UploadEnd end);

// After anything about an upload's attempts changed: is it over? Latches it, and moves its backup
// on.
void refresh_upload(Turn& turn, std::string_view upload_id);

// The set of what a backup expects is complete: nothing can be added, and what nobody reports will
// end by itself.
void fix_items(Turn& turn, BackupRecord& backup);

// After anything about a backup's uploads or its seal changed: fires the phase events that are due.
void refresh_backup(Turn& turn, std::string_view backup_uid);

// One row of the phase table; false, and nothing done, where there is none.
bool change_phase(Turn& turn, BackupRecord& backup, PhaseEvent event);

void add_message(std::vector<BackupMessage>& list, BackupMessage message);

// What the rows say of an upload: its attempts merged, then what the controller itself decided.
[[nodiscard]] UploadView view_of(const Model& rows, const UploadRecord& upload);

[[nodiscard]] UploadView view_of_orphan(const AttemptRecord& orphan);

// Its mover may still be at work: not ended, and not certainly gone.
[[nodiscard]] bool is_live(const AttemptRecord& attempt);
[[nodiscard]] bool has_live_attempt(const Model& rows, std::string_view upload_id);

enum class WhoEnds : std::uint8_t { nobody, mover, timer, person };

// Who will end an upload that is not over: never `nobody`. `nobody` only for one that is over.
[[nodiscard]] WhoEnds who_ends(const ControllerState& state, const UploadRecord& upload);

}  // namespace plimsoll
