// records.hpp - what the controller keeps, as plain rows. Each row is complete in itself: a store
// writes and loads rows and understands none of them. Texts are verified and bounded before they
// get here (schemas/text_bounds.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schemas/backup_phase.hpp"
#include "schemas/ids.hpp"
#include "schemas/time.hpp"
#include "schemas/upload_document.hpp"
#include "schemas/upload_progress.hpp"
#include "schemas/upload_state.hpp"

namespace plimsoll {

enum class SealMode : std::uint8_t { manual = 0, auto_ = 1 };  // never renumber: stored
enum class BackupSource : std::uint8_t { cli = 0, run = 1, velero = 2, api = 3 };  // never renumber
enum class SealOutcome : std::uint8_t {
  none = 0,
  ok = 1,
  partial = 2,
  failed = 3
};  // never renumber

// Timers run on core time; what is stored is what remains of them. Never renumber: stored.
enum class TimerKind : std::uint8_t {
  auto_seal = 1,       // backup: since its last item was added
  seal_timeout = 2,    // backup: nobody touched it
  cancel_timeout = 3,  // backup: Deleting
  keep_backup = 4,     // backup: over
  attach = 5,          // upload: nobody reported it, or one of its parts
  upload_timeout = 6,  // upload: since its last progress
  upload_cancel = 7,   // upload: cancelled by its uploadTimeout, not answered yet
  retry = 8,           // attempt: failed, its mover said it will try again
  lost = 9,            // attempt: Lost
  keep_orphan = 10,    // attempt: orphan that is over
  grace = 11,          // node: no word from its agent
  keep_tombstone = 12  // tombstone
};

struct StoredTimer {
  TimerKind kind = TimerKind::auto_seal;
  Duration remaining{0};
  bool operator==(const StoredTimer&) const = default;
};

inline constexpr std::size_t kMaxBackupMessages = 100;  // newest kept, per list
inline constexpr std::size_t kMaxLeftBehind = 1000;     // segments listed in a tombstone
inline constexpr std::size_t kMaxEventsPerUpload = 100;

struct BackupMessage {
  std::optional<WallTime> time;
  std::string source;  // who said it: an item, "seal", "controller"
  std::string text;
  bool operator==(const BackupMessage&) const = default;
};

struct BackupRecord {
  std::string uid;   // key; never used twice
  std::string name;  // unique among backups; free again once the backup is deleted
  SealMode seal = SealMode::manual;
  BackupSource source = BackupSource::api;
  std::uint32_t owner_uid = 0;
  bool run_by_controller = false;  // cut off by a restart while InProgress → Failed

  BackupPhase phase = BackupPhase::in_progress;
  bool failed_latched = false;  // an upload failed, or it was sealed with a failure; never cleared
  bool items_fixed = false;     // what is expected is fixed: nothing can be added
  SealOutcome outcome = SealOutcome::none;
  bool allow_empty = false;
  std::optional<WallTime> created;
  std::optional<WallTime> started;    // first item reported or Uploading began
  std::optional<WallTime> completed;  // when it became terminal
  std::vector<BackupMessage> errors;
  std::vector<BackupMessage> warnings;
  std::vector<StoredTimer> timers;

  TimePoint born{};  // not stored: `created` on core time (restore() sets it from wall age)
};

// How an upload ended. Once here it never changes.
struct UploadEnd {
  Outcome outcome = Outcome::none;
  std::string err;
  std::optional<WallTime> at;
  std::int64_t items_completed = 0;
  std::int64_t items_to_complete = 0;
};

struct CancelRequest {
  std::optional<WallTime> at;
  std::string reason;  // ≤ kMaxReasonBytes
};

struct UploadRecord {
  std::string id;          // 16 hex digits; key
  std::string backup_uid;  // with `item`: the other key
  std::string item;
  std::string snapshot_id;
  std::string volume_id;
  std::uint32_t parts = 0;  // as added; 0 = not said
  std::string tracker;      // "" = the agents
  std::uint32_t owner_uid = 0;
  std::optional<WallTime> created;
  std::optional<CancelRequest> cancel;  // stays wanted until every attempt has answered
  bool timed_out = false;               // its uploadTimeout has passed: canceled counts as failed
  std::optional<UploadEnd> end;
  std::vector<StoredTimer> timers;

  TimePoint born{};  // not stored: `created` on core time
};

// Why an attempt is Lost; the agent can put it right only if its mover may still be there.
enum class LostCause : std::uint8_t { none = 0, agent = 1, boot = 2, gone = 3, no_word = 4 };

struct AttemptRecord {
  SegmentId segment;      // key
  std::string upload_id;  // "" = orphan; once set, never changed
  std::string orphan_reason;
  std::uint32_t ordinal = 0;  // 0 = orphan
  bool born_dead = false;
  std::string node;
  BootId boot;
  std::string domain;
  std::uint32_t owner_uid = 0;
  Identity identity;

  std::uint64_t seq = 0;  // slot sequence of `sample`
  Sample sample;          // merged (schemas/merge.hpp)
  AttemptState state = AttemptState::unknown;
  std::string reason;
  std::optional<WallTime> since;
  std::optional<WallTime> started;
  std::optional<WallTime> updated;
  double rate = -1;
  LostCause lost_cause = LostCause::none;
  std::optional<RetrievalError> retrieval_error;
  std::optional<Terminal> terminal;  // latched: changes no more
  bool given_up = false;             // retryWithin or lostAfter has passed
  std::optional<WallTime> began;     // when the segment was opened, on the controller's wall clock
  std::vector<StoredTimer> timers;

  TimePoint born{};  // not stored: `began` on core time
};

struct NodeRecord {
  std::string name;  // key
  BootId boot;
  std::uint64_t session = 0;
  std::string agent_version;
  Duration lost_after = seconds(120);
  std::optional<WallTime> last_heard;
  std::vector<StoredTimer> timers;
};

// A segment of a deleted backup. Left behind and wanted-cancelled until it was seen over.
struct LeftBehind {
  SegmentId segment;
  std::string item;
  std::string node;
  bool answered = false;  // seen over: only kept so that it is known again
  bool operator==(const LeftBehind&) const = default;
};

struct TombstoneRecord {
  std::string uid;  // key
  std::string name;
  std::optional<WallTime> deleted_at;
  std::vector<LeftBehind> left_behind;  // at most kMaxLeftBehind
  std::vector<StoredTimer> timers;

  TimePoint born{};  // not stored: `deleted_at` on core time
};

// History. The store keeps the newest kMaxEventsPerUpload of each upload (of each segment while it
// is an orphan); the core never holds any. A repeated report brings the same event again: (segment,
// event) is unique.
struct EventRecord {
  SegmentId segment;
  std::string upload_id;  // "" while the segment is an orphan
  UploadEvent event;
  bool operator==(const EventRecord&) const = default;
};

}  // namespace plimsoll
