// upload_state.hpp - the states of an upload and of an attempt, with the words people see.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "schemas/upload_progress.hpp"

namespace plimsoll {

// What the agent says of one attempt, on the wire.
enum class AttemptState : std::uint8_t {  // never renumber
  unknown = 0,
  waiting = 1,
  running = 2,
  stalled = 3,
  cancelling = 4,
  lost = 5,
  ended = 6,
  unreadable = 7,
};

// What people see of an upload.
enum class UploadState : std::uint8_t {  // never renumber: stored
  pending = 0,
  waiting = 1,
  running = 2,
  stalled = 3,
  cancelling = 4,
  lost = 5,
  completed = 6,
  failed = 7,
  incomplete = 8,
  canceled = 9,
};

struct UploadStateWord {
  UploadState state;
  std::string_view word;
};

inline constexpr std::array kUploadStates = {
    UploadStateWord{UploadState::pending, "Pending"},
    UploadStateWord{UploadState::waiting, "Waiting"},
    UploadStateWord{UploadState::running, "Running"},
    UploadStateWord{UploadState::stalled, "Stalled"},
    UploadStateWord{UploadState::cancelling, "Cancelling"},
    UploadStateWord{UploadState::lost, "Lost"},
    UploadStateWord{UploadState::completed, "Completed"},
    UploadStateWord{UploadState::failed, "Failed"},
    UploadStateWord{UploadState::incomplete, "Incomplete"},
    UploadStateWord{UploadState::canceled, "Canceled"},
};

constexpr std::string_view word(UploadState state) {
  for (const auto& row : kUploadStates)
    if (row.state == state) return row.word;
  return "Unknown";
}

constexpr std::optional<UploadState> upload_state_from_word(std::string_view text) {
  for (const auto& row : kUploadStates)
    if (row.word == text) return row.state;
  return std::nullopt;
}

constexpr bool is_over(UploadState state) {
  return state >= UploadState::completed;
}

constexpr std::string_view word(Outcome outcome) {
  switch (outcome) {
    case Outcome::none:
      return "none";
    case Outcome::durable:
      return "durable";
    case Outcome::failed:
      return "failed";
    case Outcome::incomplete:
      return "incomplete";
    case Outcome::canceled:
      return "canceled";
  }
  return "unknown";
}

// Outcomes of a newer minor version are kept, but prove nothing.
constexpr bool is_known(Outcome outcome) {
  return outcome <= Outcome::canceled;
}

constexpr UploadState state_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::durable:
      return UploadState::completed;
    case Outcome::incomplete:
      return UploadState::incomplete;
    case Outcome::canceled:
      return UploadState::canceled;
    default:
      return UploadState::failed;
  }
}

constexpr std::string_view word(Activity activity) {
  switch (activity) {
    case Activity::scanning:
      return "scanning";
    case Activity::sending:
      return "sending";
    case Activity::finishing:
      return "finishing";
    case Activity::waiting:
      return "waiting";
    default:
      return "unknown";
  }
}

constexpr std::string_view word(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
    default:
      return "unknown";
  }
}

// How old the knowledge is, apart from the state.
enum class Freshness : std::uint8_t { live, late, unreachable };

constexpr std::string_view word(Freshness freshness) {
  switch (freshness) {
    case Freshness::live:
      return "live";
    case Freshness::late:
      return "late";
    case Freshness::unreachable:
      return "unreachable";
  }
  return "live";
}

inline constexpr Duration kLateAfter = seconds(3);          // docs/design.md, "Words"
inline constexpr Duration kUnreachableAfter = seconds(10);  // docs/design.md, "Words"

constexpr Freshness freshness_of(Duration age) {
  if (age >= kUnreachableAfter) return Freshness::unreachable;
  return age >= kLateAfter ? Freshness::late : Freshness::live;
}

}  // namespace plimsoll
