// agent_events.hpp - what can happen to the agent, and what it can want done. Values only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "agent/core/attempt.hpp"
#include "schemas/ids.hpp"
#include "schemas/segment_page.hpp"
#include "schemas/uplink_messages.hpp"

namespace plimsoll {

// The controller's core has events and effects of the same names. `inline` gives the agent's
// symbols of their own, so that one binary (the simulation) can hold both cores; nobody else needs
// to spell the name.
inline namespace agent {

// ---- events

// A segment not known so far, with the first look at it.
struct SegmentFound {
  SegmentOrigin origin;
  Identity identity;
  Reading reading;
};
struct SegmentRead {
  SegmentId segment;
  Reading reading;
};
// It was known, and does not verify any more. The lock can be asked all the same.
struct SegmentUnreadable {
  SegmentId segment;
  SegmentFault fault = SegmentFault::none;
  bool lock_held = false;
};
// The file is gone and cannot be read any more: unlinked by us, or by somebody else.
struct SegmentGone {
  SegmentId segment;
};

struct LinkOpened {};
struct LinkFailed {  // the dial did not succeed
  std::string why;
};
struct LinkClosed {  // closed by the other side, broken, or a frame that does not decode
  std::string why;
};
struct MessageReceived {
  UplinkMessage message;
};
struct ControllerAppeared {};  // its socket was made: dial at once

struct CancelRequested {  // over our own API; permission was checked
  SegmentId segment;
};
struct CancelWritten {
  SegmentId segment;
  bool ok = false;
};
// The end of every loop turn that had events, and at least four times a second: deadlines and
// sending.
struct Tick {};
struct ShutdownRequested {};

using Event = std::variant<SegmentFound, SegmentRead, SegmentUnreadable, SegmentGone, LinkOpened,
                           LinkFailed, LinkClosed, MessageReceived, ControllerAppeared,
                           CancelRequested, CancelWritten, Tick, ShutdownRequested>;

// ---- effects, to be performed in order

struct Dial {};
struct Send {
  UplinkMessage message;
};
struct CloseLink {};  // no LinkClosed follows
struct WriteCancel {  // answered by CancelWritten
  SegmentId segment;
};
struct ReadNow {  // look at it at the next opportunity, without waiting for its sweep
  SegmentId segment;
};
// Only if its lock is free and it is still the same file; done: SegmentGone. Not done: nothing
// follows.
struct Unlink {
  SegmentId segment;
};
// The table does not keep it (bounds): stop reading it, leave the file.
struct Drop {
  SegmentId segment;
};
enum class NoteLevel : std::uint8_t { debug, info, warning };
struct Note {  // a line for the log
  NoteLevel level = NoteLevel::info;
  std::string_view message;  // a literal
  std::vector<std::pair<std::string_view, std::string>> fields;
};

using Effect = std::variant<Dial, Send, CloseLink, WriteCancel, ReadNow, Unlink, Drop, Note>;
using Effects = std::vector<Effect>;

}  // namespace agent
}  // namespace plimsoll
