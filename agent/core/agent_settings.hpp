// agent_settings.hpp - what the core must know of the configuration and of the process it runs in.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "schemas/ids.hpp"
#include "schemas/time.hpp"

namespace plimsoll {
inline namespace agent {

struct AttemptLimits {
  std::uint32_t per_directory = 1024;
  std::uint32_t per_uid = 1024;
  std::uint32_t total = 16384;
};

// Units, ranges and effects of the configured ones: docs/configuration.md.
struct AgentSettings {
  std::string node;
  BootId boot;
  AgentId agent;  // random per process
  std::string version;
  bool has_controller = true;
  Duration stall_after = std::chrono::minutes(2);
  Duration lost_after = std::chrono::minutes(2);
  Duration keep_finished = std::chrono::hours(1);
  Duration keep_unacknowledged = std::chrono::hours(24 * 7);
  AttemptLimits limits;
};

inline constexpr int kPatientStallFactor = 5;  // while finishing or waiting (design, "The agent")
inline constexpr Duration kSilentAfter = seconds(10);  // no call for so long: "the mover is silent"
inline constexpr Duration kRetryWithin = std::chrono::minutes(10);  // of a failed attempt, alone
inline constexpr std::uint32_t kUnreadableAfter =
    3;  // faulty reads in a row; one may be a torn read

}  // namespace agent
}  // namespace plimsoll
