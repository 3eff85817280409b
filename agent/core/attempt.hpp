// attempt.hpp - everything the agent remembers of one segment. All of it can be read again from the
// segment.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/rate.hpp"
#include "schemas/ids.hpp"
#include "schemas/time.hpp"
#include "schemas/upload_progress.hpp"
#include "schemas/upload_state.hpp"

namespace plimsoll {
inline namespace agent {

// Where a segment lies and who made it: from the file system, not from its bytes (but the start).
struct SegmentOrigin {
  SegmentId segment;
  std::uint32_t directory = 0;  // the watcher's number of the directory
  std::string domain;           // the trust domain's name
  std::uint32_t owner_uid = 0;
  std::uint64_t start_boottime_ns = 0;
};

// One look at a segment: the lock asked first, the page read then.
struct Reading {
  bool lock_held = false;
  bool cancel_asked = false;
  std::uint64_t heartbeat = 0;
  std::uint64_t seq = 0;         // of `sample`
  std::optional<Sample> sample;  // only if newer than the one before
  std::optional<Terminal> terminal;
  std::vector<UploadEvent> events;  // new ones, oldest first
  std::uint64_t events_lost = 0;    // since the look before
  bool payload_fault = false;       // something verified but did not decode
};

// What the mover said, merged.
struct Progress {
  std::uint64_t seq = 0;
  Sample sample;
  std::optional<Terminal> terminal;  // the first one; never replaced
  std::uint64_t heartbeat = 0;
  TimePoint heartbeat_at{};
  TimePoint count_at{};  // when the count last changed
  Rate rate;
  WallTime started{};
  WallTime updated{};
};

// What the agent thinks of it.
struct Judgement {
  AttemptState state = AttemptState::unknown;
  std::string reason;
  TimePoint since{};
  WallTime since_wall{};
  std::optional<TimePoint> over_at;  // since when Lost or ended
};

// What the controller was told. Versions count changes; 0 = nothing.
struct Delivery {
  std::uint64_t version = 1;
  std::uint64_t sent = 0;
  std::uint64_t acked = 0;
  std::uint64_t identity_session = 0;  // session that knows the identity
  bool end_acked = false;              // the terminal record was acknowledged
  bool lost_acked = false;             // Lost was
  bool forgotten = false;              // the controller wants to hear no more of it
  std::optional<TimePoint> reported_at;
  std::deque<UploadEvent> events;  // not yet acknowledged, ≤ kMaxEventsPerReport
  std::uint64_t events_begin = 0;  // number of the first of them
  std::uint64_t events_sent = 0;   // number of the first not yet sent in this session
  std::uint32_t events_lost = 0;   // in all
};

struct Attempt {
  SegmentOrigin origin;
  Identity identity;
  bool born_dead = false;  // the lock was free when this agent first saw it
  bool lock_held = false;
  bool cancel_asked = false;
  bool file_gone = false;
  bool given_up = false;           // failed, or Lost, for good as far as this node can tell
  std::uint32_t faulty_reads = 0;  // in a row
  Progress progress;
  Judgement judgement;
  Delivery delivery;
  std::uint64_t revision = 0;            // of the table when it last changed; for watchers
  std::optional<TimePoint> indexed_end;  // the table's: its place among those that may give way
  std::optional<TimePoint> cancel_tried_at;
  std::optional<TimePoint> unlink_tried_at;

  [[nodiscard]] bool ended() const { return judgement.state == AttemptState::ended; }
  [[nodiscard]] bool lost() const { return judgement.state == AttemptState::lost; }
  [[nodiscard]] bool over() const { return ended() || lost(); }
};

}  // namespace agent
}  // namespace plimsoll
