// watch_hub.hpp - streams of changes (NDJSON). Each watcher is remembered as the set of objects it
// has not heard of yet, not as lines: a slow one gets the newest state of each, and memory is
// bounded by the number of objects. Loop thread only.
//
//   add ─► ADDED… (pages, as fast as the reader takes them) ─► BOOKMARK synced ─► changes, BOOKMARK
//   every 15 s
#pragma once

#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>

#include "controller/core/events.hpp"
#include "controller/core/queries.hpp"
#include "runtime/http/http_responder.hpp"
#include "schemas/result.hpp"
#include "schemas/time.hpp"

namespace plimsoll {

inline constexpr std::size_t kMaxWatchers =
    64;  // half of the HTTP connections: calls always get in
inline constexpr std::size_t kWatchBufferBytes = std::size_t{256}
                                                 << 10U;  // then changes are merged
inline constexpr std::size_t kWatchMissedBytes = std::size_t{1}
                                                 << 20U;  // of a reader that takes nothing
inline constexpr Duration kWatchBehindLimit = seconds(30);
inline constexpr Duration kBookmarkEvery = seconds(15);

using WatchQuery = std::variant<BackupQuery, UploadQuery>;

class WatchHub {
 public:
  // `state` must outlive the hub.
  explicit WatchHub(const ControllerState& state) : state_(state) {}

  // Answers with the stream, or 429 if there are kMaxWatchers. Lines come with flush().
  void add(HttpResponder responder, WatchQuery query);
  // After a commit.
  void changed(const Changed& changed);
  // Once per turn of the loop, and at least once a second.
  void flush(TimePoint now);

  [[nodiscard]] std::size_t watchers() const { return watchers_.size(); }
  [[nodiscard]] std::uint64_t closed_slow() const { return closed_slow_; }

 private:
  struct Watcher {
    HttpStream stream;
    WatchQuery query;
    std::string after;            // the first set is sent up to here
    bool synced = false;          // the first set is out
    std::set<std::string> shown;  // keys the reader knows
    // What it has not heard of yet; for deleted objects what is left to say of them.
    std::map<std::string, std::optional<std::string>> unheard;
    std::optional<TimePoint> behind_since;
    std::size_t buffered = 0;      // at the last flush
    std::size_t missed_bytes = 0;  // since the reader last took something
    std::optional<TimePoint> bookmark_due;
  };

  void note(Watcher& watcher, const std::string& key, std::optional<std::string> last_words);
  void send_first_set(Watcher& watcher, TimePoint now);
  void send_changes(Watcher& watcher, TimePoint now, std::size_t max_buffered);
  void send_change(Watcher& watcher, const std::string& key,
                   const std::optional<std::string>& last_words, TimePoint now);
  bool flush_one(Watcher& watcher, TimePoint now);
  bool is_lost(Watcher& watcher, TimePoint now);

  const ControllerState& state_;
  std::list<Watcher> watchers_;
  std::uint64_t closed_slow_ = 0;
};

}  // namespace plimsoll
