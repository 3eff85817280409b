// agent_daemon.hpp - the process around the working agent: lock, standby, signals, the service
// manager.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "agent/agent_app.hpp"
#include "config/config.hpp"
#include "runtime/clock.hpp"
#include "runtime/lock_file.hpp"
#include "runtime/log.hpp"
#include "runtime/loop.hpp"
#include "runtime/signals.hpp"
#include "runtime/timer.hpp"
#include "schemas/result.hpp"

namespace plimsoll {

class AgentDaemon {
 public:
  // Reads the configuration again, for SIGHUP.
  using Reload = std::function<Result<AgentConfig>()>;

  AgentDaemon(AgentConfig config, Log& log, Reload reload);

  // Until SIGTERM or SIGINT. While another agent of this RUN holds the lock it only waits: it
  // binds, sends, writes and unlinks nothing. Returns the exit status.
  int run();

 private:
  void try_to_work();
  void begin_work();
  void give_up(const Error& error);
  void stop();
  void reload_or_keep();
  void start_watchdog();

  AgentConfig config_;
  Log& log_;
  Reload reload_;
  Loop loop_;
  Clock clock_;
  std::optional<LockFile> lock_;
  std::unique_ptr<AgentApp> app_;
  SignalWatch on_terminate_;
  SignalWatch on_interrupt_;
  SignalWatch on_hangup_;
  Timer standby_timer_;
  Timer watchdog_timer_;
  bool told_standby_ = false;
  int exit_status_ = 0;
};

}  // namespace plimsoll
