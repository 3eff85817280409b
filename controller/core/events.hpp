// events.hpp - everything that can happen to the controller, and everything it can ask the edges to
// do.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "controller/core/api_calls.hpp"
#include "controller/core/store_write.hpp"
#include "schemas/result.hpp"
#include "schemas/time.hpp"
#include "schemas/uplink_messages.hpp"

namespace plimsoll {

// The agent's core has events and effects of the same names. `inline` gives these symbols of their
// own, so that one binary (the simulation) can hold both cores; nobody needs to spell the name.
inline namespace controller_core {

enum class ConnectionId : std::uint64_t {};  // never used twice while the process lives
enum class RequestId : std::uint64_t {};
enum class CommitTicket : std::uint64_t {};

struct LinkOpened {
  ConnectionId connection{};
};
struct LinkClosed {
  ConnectionId connection{};
};
// A frame that verified; a frame that did not closes the link, which is the edge's work.
struct MessageReceived {
  ConnectionId connection{};
  UplinkMessage message;
  WallTime wall;
};
struct ApiRequest {
  RequestId request{};
  Caller caller;
  ApiCall call;
  WallTime wall;
};
struct Committed {
  CommitTicket ticket{};
};
// Nothing of that commit is in the store. The core tries again on a later Tick.
struct CommitFailed {
  CommitTicket ticket{};
  Error error;
};
// At least every second, and when next_deadline() has come.
struct Tick {
  WallTime wall;
};

using Event = std::variant<LinkOpened, LinkClosed, MessageReceived, ApiRequest, Committed,
                           CommitFailed, Tick>;

struct Send {
  ConnectionId connection{};
  UplinkMessage message;
};
// After what was sent before it.
struct CloseLink {
  ConnectionId connection{};
};
// At most one is under way; answered by Committed or CommitFailed.
struct Commit {
  CommitTicket ticket{};
  std::vector<StoreWrite> writes;
  bool urgent = false;
};
struct Reply {
  RequestId request{};
  ApiResult result;
};
// What a commit changed, for watch streams: read it again with queries.hpp.
struct DeletedUpload {
  std::string id;
  std::string backup_uid;
  std::string backup;
  std::string item;
};
struct DeletedBackup {
  std::string uid;
  std::string name;
};
struct Changed {
  std::vector<std::string> backups;  // UIDs, new or changed
  std::vector<std::string> uploads;  // ids, new or changed; orphans by their 16 hex digits
  std::vector<DeletedBackup> deleted_backups;
  std::vector<DeletedUpload> deleted_uploads;
};
// A line for the log. Not called Log/LogLevel: those are runtime's, and wiring sees both.
enum class NoteLevel : std::uint8_t { info, warn, error };
struct Note {
  NoteLevel level = NoteLevel::info;
  std::string text;  // one line, escaped
};

using Effect = std::variant<Send, CloseLink, Commit, Reply, Changed, Note>;

}  // namespace controller_core
}  // namespace plimsoll
