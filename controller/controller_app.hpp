// controller_app.hpp - wiring: edges queue events, the core decides once per turn of the loop,
// effects are performed here. The store works in a thread of its own; nothing is acknowledged
// before it has committed.
//
//   uplink, api, timer, store ──events──► queue ──► step() ──effects──► uplink, api, store, log
#pragma once

#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "controller/controller_places.hpp"
#include "controller/core/controller_step.hpp"
#include "controller/io/api/api.hpp"
#include "controller/io/store.hpp"
#include "controller/io/uplink_server.hpp"
#include "runtime/clock.hpp"
#include "runtime/http/http_server.hpp"
#include "runtime/log.hpp"
#include "runtime/loop.hpp"
#include "runtime/timer.hpp"
#include "runtime/worker.hpp"

namespace plimsoll {

// What the app is built from; all must outlive it.
struct ControllerParts {
  Loop& loop;
  BackupStore& store;
  Log& log;
  Log& audit;  // changes that were made; not rate-limited
};

class ControllerApp {
 public:
  ControllerApp(const ControllerApp&) = delete;
  ControllerApp& operator=(const ControllerApp&) = delete;
  // Loads the store and begins to serve. Errors are those of the store.
  static Result<std::unique_ptr<ControllerApp>> start(const ControllerParts& parts,
                                                      const ControllerConfig& config,
                                                      ControllerSockets sockets);

  ~ControllerApp();

  // Until stop(), or until the store cannot be trusted any more (store_io and the like).
  [[nodiscard]] Result<void> run();
  // Ends run() once a commit that is under way is done. Loop thread.
  void stop();
  // What can change while it runs: admins, agents, timers' lengths. config: a group that does not
  // exist; then nothing has changed.
  [[nodiscard]] Result<void> reload(const ControllerConfig& config);

  [[nodiscard]] const ControllerState& state() const { return state_; }
  [[nodiscard]] const UplinkServer& uplink() const { return *uplink_; }

 private:
  struct Committing {
    CommitTicket ticket{};
    std::vector<StoreWrite> writes;
    Result<void> result;
    bool under_way = false;
  };
  struct HistoryRead {
    HistoryOf of;
    std::function<void(Result<std::vector<UploadEvent>>)> done;
    Result<std::vector<UploadEvent>> result;
  };

  ControllerApp(const ControllerParts& parts, ControllerState state, const ApiAdmins& admins,
                const Clock& clock);
  Result<void> serve(const ControllerConfig& config, ControllerSockets sockets);
  ApiPorts api_ports();
  UplinkCallbacks uplink_callbacks();

  void queue(Event event) { events_.push_back(std::move(event)); }
  void turn();
  void arm_tick(TimePoint now);

  void perform(Effect& effect);
  void perform_commit(Commit& commit);
  void perform_note(const Note& note);
  void end_commit();
  bool start_history_read(HistoryOf of, std::function<void(Result<std::vector<UploadEvent>>)> done);
  void write_audit(const ApiAudit& line);
  void give_up(const Error& error);
  std::vector<std::string> unready_reasons() const;

  Loop& loop_;
  BackupStore& store_;
  Log& log_;
  Log& audit_;
  Clock clock_;
  ControllerState state_;
  std::deque<Event> events_;  // bounded by what one turn of the loop can read
  std::optional<TimePoint> last_tick_;
  Committing committing_;
  std::list<HistoryRead> history_reads_;  // bounded by the HTTP server's connections
  std::optional<Error> store_trouble_;    // of the last commit, while it fails
  std::optional<Error> fatal_;
  bool stopping_ = false;
  Api api_;
  std::optional<UplinkServer> uplink_;
  std::optional<HttpServer> http_;
  Timer tick_;
  // Last, so that its thread has ended before anything it uses goes.
  Worker worker_;
};

// The daemon's whole life: places, lock, store, sockets, until a signal. `reload` reads the
// configuration again. The error is what the process ends with (exit_code.hpp).
[[nodiscard]] Result<void> run_controller(const ControllerConfig& config,
                                          const std::function<Result<ControllerConfig>()>& reload);

}  // namespace plimsoll
