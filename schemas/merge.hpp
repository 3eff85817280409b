// merge.hpp - how samples make an attempt, attempts a part, and parts an upload. Pure; used by the
// controller, and by an agent that shows its own node. The rules are written out in docs/design.md,
// "Attempts and merging".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/ids.hpp"
#include "schemas/upload_progress.hpp"
#include "schemas/upload_state.hpp"

namespace plimsoll {

// The numbers of one attempt after `reported` came on top of `known`: the count never falls,
// negative or absurd values are left out, a count above the total raises the total, unknown (0
// total, -1 fields) stays unknown only if it was never known better. `percent` units: total is 100.
[[nodiscard]] Sample merge_sample(const Sample& known, const Sample& reported);

// true if `reported` holds values no honest producer sends (negative counts); callers count it.
[[nodiscard]] bool is_absurd(const Sample& reported);

// One try at one part, as its keeper knows it. An attempt with a terminal is latched by the keeper.
struct AttemptView {
  SegmentId segment;
  std::string part;
  std::uint32_t ordinal = 1;  // the highest not born dead is the newest, and counts
  bool born_dead = false;
  bool given_up =
      false;  // failed or Lost, and its retryWithin / lostAfter has passed without a newer attempt
  AttemptState state = AttemptState::unknown;
  std::string reason;
  std::optional<WallTime> since;  // when the state began
  Sample sample;                  // merged already
  std::optional<Terminal> terminal;
  double rate = -1;  // units per second; -1 = not known
  std::optional<WallTime> started;
  std::optional<WallTime> updated;
  std::string units = "bytes";
  std::string node;
};

struct PartView {
  std::string name;
  UploadState state = UploadState::pending;
  bool over = false;  // durable, or failed / canceled / incomplete for good
  std::string err;
  std::uint32_t attempts = 0;
  AttemptView counted;  // the attempt that counts for this part
};

struct UploadView {
  UploadState state = UploadState::pending;
  Outcome outcome = Outcome::none;  // set when over
  UploadProgress progress;          // completed and err set when over
  std::string reason;
  std::optional<WallTime> since;
  Activity activity = Activity::unknown;
  Sample sums;  // saturating sums over parts; -1 / 0 where any part does not know
  double rate = -1;
  std::string stored_as;       // of the only part, else comma-separated
  std::uint32_t attempt = 0;   // ordinal of the newest attempt
  std::uint32_t attempts = 0;  // how many there were
  SegmentId segment;           // of the newest attempt
  std::string node;
  std::vector<PartView> parts;  // sorted by name
};

// The number of parts an upload must have: `added` (from `backup add --parts`) wins, else the
// highest the segments said, else 1 if every part seen is "" and none said a number; 0 = unknown,
// so never complete.
[[nodiscard]] std::uint32_t parts_needed(std::uint32_t added, std::uint32_t highest_said,
                                         bool named_part_seen);

// Durable only when `parts` distinct parts are durable (never for parts = 0); over badly as soon as
// a part is over badly for good. The worst part decides state and reason while it runs: Lost,
// Stalled, then the rest. err of a canceled upload begins with "canceled", of an incomplete one
// with "incomplete".
[[nodiscard]] UploadView merge_attempts(std::span<const AttemptView> attempts, std::uint32_t parts);

// 0.0…100.0 in tenths, rounded down, at most 99.9 before `durable`; nothing when the total is not
// known.
[[nodiscard]] std::optional<double> percent_of(std::int64_t completed, std::int64_t total,
                                               bool durable);

// Seconds until done; nothing without total or rate, when stalled, or beyond 10 years.
[[nodiscard]] std::optional<std::int64_t> eta_seconds(std::int64_t completed, std::int64_t total,
                                                      double rate);

// a + b, at most INT64_MAX; negative operands count as 0.
[[nodiscard]] std::int64_t saturating_add(std::int64_t a, std::int64_t b);

}  // namespace plimsoll
