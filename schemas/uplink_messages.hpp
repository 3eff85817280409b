// uplink_messages.hpp - what agent and controller say to each other, as values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "schemas/ids.hpp"
#include "schemas/upload_progress.hpp"
#include "schemas/upload_state.hpp"

namespace plimsoll {

inline constexpr std::uint16_t kUplinkProtocol = 1;
inline constexpr std::size_t kMaxReportsPerBatch = 500;
inline constexpr std::size_t kMaxBatchBytes = 240 * 1024;
inline constexpr std::size_t kMaxBatchesInFlight = 4;

enum class DesiredAction : std::uint8_t { run = 0, cancel = 1, forget = 2 };  // never renumber
enum class RefuseCode : std::uint8_t {                                        // never renumber
  unknown = 0,
  version = 1,
  node = 2,
  peer = 3,
  fenced = 4,
  stopping = 5,
};
enum class ReportCode : std::uint8_t {  // never renumber
  taken = 0,
  orphan = 1,
  policy = 2,
  malformed = 3,
  tombstone = 4,
};

struct Hello {
  std::uint16_t protocol_min = kUplinkProtocol;
  std::uint16_t protocol_max = kUplinkProtocol;
  std::string node;
  BootId boot;
  AgentId agent;
  std::string agent_version;
  std::uint32_t stall_after_ms = 0;
  std::uint32_t lost_after_ms = 0;
  bool operator==(const Hello&) const = default;
};

struct Welcome {
  std::uint64_t session = 0;
  std::uint16_t protocol = kUplinkProtocol;
  std::uint32_t report_every_ms = 1000;
  StoreId store;
  std::string controller_version;
  bool operator==(const Welcome&) const = default;
};

struct Refuse {
  RefuseCode code = RefuseCode::unknown;
  std::string text;
  std::uint32_t retry_after_ms = 0;
  bool operator==(const Refuse&) const = default;
};

// An attempt's whole newest state.
struct Report {
  SegmentId segment;
  std::optional<Identity> identity;  // in the first report of a session
  std::string domain;
  std::uint32_t owner_uid = 0;
  std::uint64_t start_boottime_ns = 0;
  std::uint64_t seq = 0;  // slot sequence of `sample`; 0 = none yet
  std::optional<Sample> sample;
  AttemptState state = AttemptState::unknown;
  std::string reason;
  std::uint64_t state_age_ms = 0;
  std::uint64_t silent_ms = 0;
  std::int64_t started_unix_ms = 0;
  std::int64_t updated_unix_ms = 0;
  double rate = -1;                  // units per second; -1 = not known
  std::optional<Terminal> terminal;  // only with state = ended
  std::vector<UploadEvent> events;   // new ones, ≤ kMaxEventsPerReport
  std::uint32_t events_lost = 0;
  std::uint64_t age_ms = 0;
  bool born_dead = false;
  bool operator==(const Report&) const = default;
};

struct Batch {
  std::uint64_t session = 0;
  std::uint64_t seq = 0;
  bool first_full = false;
  bool last_full = false;
  std::vector<Report> reports;
  bool operator==(const Batch&) const = default;
};

struct RefusedReport {
  SegmentId segment;
  ReportCode code = ReportCode::taken;
  bool operator==(const RefusedReport&) const = default;
};

// Cumulative; means committed, or refused for good.
struct Ack {
  std::uint64_t session = 0;
  std::uint64_t seq = 0;
  std::vector<RefusedReport> refused;
  bool operator==(const Ack&) const = default;
};

struct DesiredEntry {
  SegmentId segment;
  DesiredAction action = DesiredAction::run;
  bool operator==(const DesiredEntry&) const = default;
};

// A full set may span frames: `reset` on the first, `last` on the last; applied when `last` has
// come.
struct Desired {
  std::uint64_t session = 0;
  bool reset = false;
  bool last = true;
  std::vector<DesiredEntry> entries;
  bool operator==(const Desired&) const = default;
};

struct Ping {
  std::uint64_t session = 0;
  std::uint64_t at_ms = 0;
  bool busy = false;
  bool operator==(const Ping&) const = default;
};

using UplinkMessage = std::variant<Hello, Welcome, Refuse, Batch, Ack, Desired, Ping>;

}  // namespace plimsoll
