// commit_queue.hpp - what waits for the store: changed rows, and the answers that may go out once
// they are in it. At most one commit is under way; changes meanwhile gather for the next one.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "controller/core/events.hpp"
#include "controller/core/records.hpp"
#include "controller/core/store_write.hpp"
#include "schemas/time.hpp"

namespace plimsoll {

struct Turn;

inline constexpr Duration kGroupCommit =
    seconds(1);  // the longest a change that is not urgent waits
inline constexpr Duration kRetryCommitAfter = seconds(1);  // after a commit that failed
inline constexpr Duration kSlowCommit = seconds(2);        // then agents are told `busy`

struct PendingAck {
  ConnectionId connection{};
  Ack ack;
};
struct PendingReply {
  RequestId request{};
  AnswerKind kind = AnswerKind::ok;
  std::string backup_uid;  // "" = no backup in the answer
  std::string upload_id;   // "" = no upload in the answer
};

// One commit's worth of changes. Rows are named, and read when the commit is made.
struct Gathered {
  std::set<std::string> backups;
  std::set<std::string> uploads;
  std::set<SegmentId> attempts;
  std::set<std::string> nodes;
  std::set<std::string> tombstones;
  std::vector<StoreWrite> deletes;  // before the rows
  std::vector<EventRecord> events;  // after the rows
  std::vector<AdoptEvents> adopted;
  bool urgent = false;
  std::optional<TimePoint> since;  // of the first change; nothing = no change

  std::vector<PendingAck> acks;
  std::vector<PendingReply> replies;
  std::vector<ConnectionId> welcomes;
};

struct CommitInFlight {
  CommitTicket ticket{};
  TimePoint began{};
  Gathered what;
  std::vector<StoreWrite> writes;
};

struct CommitQueue {
  Gathered next;
  std::optional<CommitInFlight> in_flight;
  std::uint64_t last_ticket = 0;
  bool failing = false;  // the last commit failed
  TimePoint retry_at{};
};

// Notes that a row changed.
void touch_backup(Turn& turn, const std::string& uid, bool urgent);
void touch_upload(Turn& turn, const std::string& id, bool urgent);
void touch_attempt(Turn& turn, const SegmentId& segment, bool urgent);
void touch_node(Turn& turn, const std::string& name, bool urgent);
void touch_tombstone(Turn& turn, const std::string& uid);
void queue_delete(Turn& turn, StoreWrite write);
void queue_event(Turn& turn, EventRecord event);
void queue_adoption(Turn& turn, AdoptEvents adopted);

// Goes out once everything known now is committed: at once if it is.
void after_commit(Turn& turn, PendingAck ack);
void after_commit(Turn& turn, PendingReply reply);
void after_commit(Turn& turn, ConnectionId welcome);

// Begins a commit if one is due and none is under way.
void begin_commit(Turn& turn);
void on_committed(Turn& turn, const Committed& event);
void on_commit_failed(Turn& turn, const CommitFailed& event);

// When begin_commit() has something to do.
[[nodiscard]] std::optional<TimePoint> commit_due(const CommitQueue& queue);
// The store fails, or takes its time.
[[nodiscard]] bool is_busy(const CommitQueue& queue, TimePoint now);

}  // namespace plimsoll
