// agent_app.hpp - the working agent: constructs the edges, queues what they say, asks the core,
// does what it wants. Decides nothing itself. Loop thread only.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/agent_events.hpp"
#include "agent/core/agent_state.hpp"
#include "agent/core/moment.hpp"
#include "agent/io/query_api.hpp"
#include "agent/io/segment_discovery.hpp"
#include "agent/io/segment_reader.hpp"
#include "agent/io/uplink_client.hpp"
#include "config/config.hpp"
#include "runtime/clock.hpp"
#include "runtime/dir_watch.hpp"
#include "runtime/http/http_server.hpp"
#include "runtime/log.hpp"
#include "runtime/loop.hpp"
#include "runtime/timer.hpp"
#include "schemas/result.hpp"

namespace plimsoll {

// What outlives the app.
struct AgentHost {
  Loop& loop;
  Clock& clock;
  Log& log;
};

class AgentApp {
 public:
  AgentApp(AgentHost host, AgentConfig config);
  AgentApp(const AgentApp&) = delete;
  AgentApp& operator=(const AgentApp&) = delete;
  ~AgentApp();

  // Opens the directories, then the socket. On error nothing runs.
  Result<void> start();
  // Says goodbye to the controller and removes the socket.
  void stop();
  // Takes what can change while running; names the rest in the log.
  void reload(const AgentConfig& config);

 private:
  Result<void> start_discovery();
  Result<void> start_api();
  void start_uplink();
  void start_timers();

  void push(Event event) { queue_.push_back(std::move(event)); }
  void turn();
  void drain();
  void step_once(const Event& event);
  void perform(const Effect& effect);
  void perform_cancel(const SegmentId& segment);
  void perform_unlink(const SegmentId& segment);
  void perform_drop(const SegmentId& segment);
  void write_note(const Note& note);

  Moment refresh_moment();
  void watch_for_controller();
  Result<void> cancel(const CancelOrder& order);
  std::vector<std::string> not_ready() const;
  void on_refusal(const Refusal& refusal);

  AgentHost host_;
  AgentConfig config_;
  AgentState state_;
  Moment moment_;
  std::deque<Event> queue_;
  std::optional<Error> cancel_error_;  // of the order that is being carried out
  bool tick_due_ = true;
  bool told_disk_ = false;

  SegmentReader reader_;
  std::unique_ptr<SegmentDiscovery> discovery_;
  std::optional<UplinkClient> uplink_;
  std::optional<QueryApi> api_;
  std::optional<HttpServer> server_;
  std::optional<DirWatch> controller_watch_;
  int controller_watch_number_ = -1;
  Timer tick_timer_;
  Timer sweep_timer_;
};

}  // namespace plimsoll
