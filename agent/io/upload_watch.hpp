// upload_watch.hpp - one client that watches uploads: the full set, a bookmark, then changes,
// newest state only.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "agent/core/agent_state.hpp"
#include "agent/core/moment.hpp"
#include "agent/io/upload_query.hpp"
#include "runtime/http/http_responder.hpp"

namespace plimsoll {

inline constexpr std::size_t kWatchBufferBytes =
    256 * 1024;  // more may not wait; changes coalesce meanwhile
inline constexpr std::size_t kLastWordsBytes =
    1024 * 1024;                                         // what a slow reader still gets at its end
inline constexpr Duration kWatchPatience = seconds(30);  // so long behind, then closed
inline constexpr Duration kBookmarkEvery = seconds(15);

class UploadWatch {
 public:
  UploadWatch(UploadQuery query, HttpStream stream);

  // Pushes what is new and fits. False: the client is gone or was closed for being slow; drop the
  // watch.
  [[nodiscard]] bool pump(const AgentState& state, const Moment& moment);

 private:
  struct Shown {
    std::string id;  // "" = it does not fit the query
    std::uint64_t revision = 0;
  };

  void write_line(std::string_view type, const std::string& object);
  void remove_vanished(const AttemptTable& attempts);
  // True: everything there is was pushed.
  bool push_changes(const AgentState& state, const Moment& moment, std::size_t room_bytes);
  void push_upload(const PlacedUpload& upload, const AgentState& state, const Moment& moment);
  void bookmark(TimePoint now);

  UploadQuery query_;
  HttpStream stream_;
  std::map<SegmentId, Shown> shown_;  // by place
  std::string pending_;
  std::uint64_t seen_revision_ = 0;
  std::optional<TimePoint> behind_since_;
  std::optional<TimePoint> bookmark_at_;
};

}  // namespace plimsoll
