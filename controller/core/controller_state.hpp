// controller_state.hpp - all that the controller knows between two events. Changed only by step().
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "controller/core/commit_queue.hpp"
#include "controller/core/events.hpp"
#include "controller/core/model.hpp"
#include "controller/core/settings.hpp"
#include "controller/core/timers.hpp"
#include "schemas/ids.hpp"
#include "schemas/merge.hpp"
#include "schemas/time.hpp"

namespace plimsoll {

// One connection of an agent. Order: opened → Hello (session committed) → Welcome → batches.
struct Link {
  bool greeted = false;   // Hello has come
  bool welcomed = false;  // its session is committed and Welcome sent
  std::string node;
  std::uint64_t session = 0;
  TimePoint last_heard{};
  TimePoint last_sent{};
  std::map<SegmentId, DesiredAction> told;  // what differs from `run`, as last sent
  bool in_full = false;                     // between first_full and last_full
  std::set<SegmentId> in_full_state;        // the segments named in it so far
};

// When an agent was last heard, on both clocks; not stored.
struct Contact {
  TimePoint heard{};
  std::optional<WallTime> heard_wall;
  std::optional<ConnectionId> connection;  // welcomed
  Freshness shown = Freshness::live;       // as last told to watch streams
};

// What clients see: rows as committed, and what they add up to.
struct CommittedView {
  Model rows;
  ByName<UploadView> uploads;  // by upload id
};

struct ControllerState {
  ControllerSettings settings;
  StoreId store;
  std::mt19937_64 random;
  WallTime wall{};  // newest heard of

  Model rows;                        // may be ahead of the store
  CommittedView committed;           // never is
  ByName<std::size_t> open_uploads;  // by backup UID: how many are not over, in `rows`
  Timers timers;
  CommitQueue queue;
  std::map<ConnectionId, Link> links;
  ByName<Contact> contacts;      // by node
  std::string own_node;          // "" until known
  TimePoint next_timer_store{};  // when remaining times are stored anew
  TimePoint next_keep_timer_store{};
};

// One call of step(): the state, the time, and the effects so far.
struct Turn {
  ControllerState& state;
  TimePoint now;
  std::vector<Effect> effects;

  [[nodiscard]] Model& rows() const { return state.rows; }
  void note(NoteLevel level, std::string text) { effects.push_back(Note{level, std::move(text)}); }
};

}  // namespace plimsoll
