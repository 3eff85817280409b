// agent_state.hpp - all the agent knows, as one value. Nothing of it is on disk: the segments are
// the journal.
#pragma once

#include <cstdint>

#include "agent/core/agent_settings.hpp"
#include "agent/core/attempt_table.hpp"
#include "agent/core/backoff.hpp"
#include "agent/core/desired_set.hpp"
#include "agent/core/report_plan.hpp"
#include "agent/core/uplink_session.hpp"

namespace plimsoll {
inline namespace agent {

// What was met since the start; for metrics and tests.
struct AgentCounters {
  std::uint64_t limit_hits = 0;
  std::uint64_t evicted = 0;
  std::uint64_t producer_errors = 0;  // absurd values, payloads that do not decode
  std::uint64_t events_lost = 0;
  std::uint64_t sessions = 0;
  std::uint64_t refused_reports = 0;
  std::uint64_t protocol_errors = 0;
};

struct AgentState {
  AgentSettings settings;
  Random random;  // seeded by wiring
  AttemptTable attempts;
  UplinkSession uplink;
  DesiredSet desired;
  ReportPlan plan;
  AgentCounters counters;
  TimePoint next_review{};
  bool stopping = false;

  AgentState() = default;
  AgentState(AgentSettings with, std::uint64_t seed) : settings(std::move(with)), random(seed) {}
};

}  // namespace agent
}  // namespace plimsoll
