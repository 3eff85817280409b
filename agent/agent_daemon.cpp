// agent_daemon.cpp - lock before sockets; whoever has the lock works.
#include "agent/agent_daemon.hpp"

#include <csignal>
#include <utility>

#include "agent/process_facts.hpp"
#include "runtime/service.hpp"
#include "schemas/error_codes.hpp"

namespace plimsoll {
namespace {

constexpr milliseconds kAskLockEvery{500};  // a lock cannot be watched, only asked for

}  // namespace

AgentDaemon::AgentDaemon(AgentConfig config, Log& log, Reload reload)
    : config_(std::move(config)), log_(log), reload_(std::move(reload)) {}

int AgentDaemon::run() {
  on_terminate_ = SignalWatch(loop_, SIGTERM, [this] { stop(); });
  on_interrupt_ = SignalWatch(loop_, SIGINT, [this] { stop(); });
  on_hangup_ = SignalWatch(loop_, SIGHUP, [this] { reload_or_keep(); });
  standby_timer_ = Timer(loop_, [this] { try_to_work(); });
  start_watchdog();
  loop_.post([this] { try_to_work(); });
  loop_.run();
  app_.reset();
  return exit_status_;
}

void AgentDaemon::try_to_work() {
  if (auto made = make_run_directory(config_.run_dir); !made) return give_up(made.error());
  auto lock = LockFile::take(config_.run_dir + "/agent.lock");
  if (lock) {
    lock_ = std::move(*lock);
    standby_timer_.stop();
    begin_work();
    return;
  }
  if (lock.error().code != ErrorCode::address_in_use) return give_up(lock.error());
  if (std::exchange(told_standby_, true)) return;
  log_.failure(LogLevel::warning, "another agent works here; standing by", lock.error());
  notify_ready("standing by: another agent works in " + config_.run_dir);
  standby_timer_.start_every(kAskLockEvery);
}

void AgentDaemon::begin_work() {
  app_ = std::make_unique<AgentApp>(AgentHost{loop_, clock_, log_}, config_);
  if (auto started = app_->start(); !started) return give_up(started.error());
  log_.info("agent works", {{"node", config_.node},
                            {"run_dir", config_.run_dir},
                            {"socket", config_.socket.path},
                            {"controller", config_.controller},
                            {"version", PLIMSOLL_VERSION}});
  notify_ready("watching segments on node " + config_.node);
}

void AgentDaemon::give_up(const Error& error) {
  log_.failure(LogLevel::error, "cannot start", error);
  exit_status_ = info(error.code).exit_code;
  app_.reset();
  loop_.stop();
}

void AgentDaemon::stop() {
  notify_stopping();
  log_.info("agent stops");
  if (app_) app_->stop();
  loop_.stop();
}

void AgentDaemon::reload_or_keep() {
  notify_reloading();
  auto config = reload_();
  if (!config)
    log_.failure(LogLevel::error, "configuration not reloaded, the old one stays", config.error());
  else if (app_)
    app_->reload(*config);
  else
    config_ = std::move(*config);
  notify_ready(app_ ? "watching segments on node " + config_.node : "standing by");
}

void AgentDaemon::start_watchdog() {
  const auto interval = watchdog_interval();
  if (!interval) return;
  watchdog_timer_ = Timer(loop_, [] { notify_watchdog(); });
  watchdog_timer_.start_every(*interval);
}

}  // namespace plimsoll
