// upload_progress.hpp - the values that travel: what a producer says, and the UploadProgress made
// of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schemas/time.hpp"

namespace plimsoll {

enum class Severity : std::uint8_t {
  unknown = 0,
  info = 1,
  warning = 2,
  error = 3
};                                   // never renumber
enum class Outcome : std::uint8_t {  // never renumber; a newer number is kept as it is, see
                                     // is_known
  none = 0,
  durable = 1,
  failed = 2,
  incomplete = 3,
  canceled = 4,
};
enum class Activity : std::uint8_t {  // never renumber
  unknown = 0,
  scanning = 1,
  sending = 2,
  finishing = 3,
  waiting = 4,
};

// Who a segment says it speaks for. Written once, at open. Bounds: text_bounds.hpp.
struct Identity {
  std::string backup;  // "" = not known to the mover
  std::string backup_uid;
  std::string item;
  std::string snapshot_id;
  std::string volume_id;
  std::string part;               // "" = the only one
  std::uint32_t parts_total = 0;  // 0 = not said
  std::uint32_t attempt = 0;      // 0 = not said
  std::string units = "bytes";
  std::string tool;
  std::string tool_version;
  std::vector<std::string> labels;
  std::int64_t opened_unix_ms = 0;
  bool auto_backup = false;

  bool operator==(const Identity&) const = default;
};

// One set of numbers. -1 = the mover does not know; total 0 = not known.
struct Sample {
  std::int64_t completed = 0;
  std::int64_t total = 0;
  std::int64_t read = -1;
  std::int64_t sent = -1;
  std::int64_t files_done = -1;
  std::int64_t files_total = -1;
  std::uint32_t errors = 0;
  std::uint32_t warnings = 0;
  Activity activity = Activity::unknown;
  std::string description;

  bool operator==(const Sample&) const = default;
};

struct UploadEvent {
  Severity severity = Severity::info;
  std::string text;
  std::int64_t at_unix_ms = 0;

  bool operator==(const UploadEvent&) const = default;
};

// How an attempt ended, with its last numbers.
struct Terminal {
  Outcome outcome = Outcome::none;
  std::string err;
  bool will_retry = false;
  std::string stored_as;
  std::int64_t completed = 0;
  std::int64_t total = 0;
  std::uint32_t errors = 0;
  std::uint32_t warnings = 0;
  std::int64_t at_unix_ms = 0;

  bool operator==(const Terminal&) const = default;
};

// The value everything here exists to carry. `err` is set only with `completed`.
struct UploadProgress {
  bool completed = false;  // over, well or badly
  std::string err;
  std::int64_t items_completed = 0;
  std::int64_t items_to_complete = 0;  // 0 = not known; on success equal to items_completed
  std::optional<WallTime> started;     // epoch 0 on the wire
  std::optional<WallTime> updated;
  std::string units = "bytes";
  std::string description;

  bool operator==(const UploadProgress&) const = default;
};

}  // namespace plimsoll
