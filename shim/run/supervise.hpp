// supervise.hpp - the wrapper's loop: starts the tool, copies its bytes, hands on its signals,
// reads its words, and says how it ended. One thread, one poll; it sleeps unless the tool or a
// person does something.
#pragma once

#include "schemas/time.hpp"
#include "shim/run/child.hpp"
#include "shim/run/signal_inbox.hpp"
#include "shim/run/tool_parser.hpp"

namespace plimsoll {

inline constexpr Duration kLookEvery = milliseconds(250);  // cancel byte and tick()

// Who wants to know. Called from the loop: must not block, for the tool's bytes wait meanwhile.
class RunObserver {
 public:
  virtual ~RunObserver() = default;

  virtual void report(const Sample& sample) = 0;
  virtual void note(const Diagnostic& diagnostic) = 0;
  [[nodiscard]] virtual bool cancel_asked() = 0;
  virtual void tick(TimePoint now) = 0;  // every kLookEvery while the tool runs
};

struct SuperviseOptions {
  SpawnPlan plan;
  Duration grace = seconds(10);  // between the rungs of the cancel ladder
};

struct RunEnd {
  int spawn_error = 0;  // errno: the tool never ran, and nothing else here is set
  ExitStatus exit;
  Terminal terminal;  // the parser's verdict
};

[[nodiscard]] RunEnd supervise(const SuperviseOptions& options, ToolParser& parser,
                               RunObserver& observer, SignalInbox& inbox);

}  // namespace plimsoll
