// run_controller.cpp - the daemon's life from start to end, in the documented order: lock, store,
// sockets.
#include <csignal>

#include "controller/controller_app.hpp"
#include "controller/controller_settings.hpp"
#include "controller/io/sqlite_store.hpp"
#include "runtime/service.hpp"
#include "runtime/signals.hpp"

namespace plimsoll {
namespace {

using ReadConfig = std::function<Result<ControllerConfig>()>;

// What only a start can change; said once per reload, so that nobody waits for it.
bool needs_restart(const ControllerConfig& old_config, const ControllerConfig& next) {
  return old_config.socket.path != next.socket.path ||
         old_config.socket.group != next.socket.group ||
         old_config.uplink.path != next.uplink.path ||
         old_config.uplink.group != next.uplink.group ||
         old_config.store_sqlite != next.store_sqlite || old_config.state_dir != next.state_dir ||
         old_config.log.format != next.log.format;
}

void reload_or_keep(ControllerApp& app, const ControllerConfig& config, const ReadConfig& read,
                    Log& log) {
  notify_reloading();
  const auto next = read();
  const auto applied = next ? app.reload(*next) : Result<void>(fail(next.error()));
  if (applied) {
    log.set_level(log_options_of(next->log).level);
    log.info("configuration read again");
    if (needs_restart(config, *next)) log.warning("part of the configuration needs a restart");
  } else {
    log.failure(LogLevel::error, "configuration kept as it was", applied.error());
  }
  notify_ready("serving");
}

}  // namespace

Result<void> run_controller(const ControllerConfig& config, const ReadConfig& read) {
  auto options = log_options_of(config.log);
  Log log(options);
  options.per_reason_per_second = 0;
  Log audit(options);
  Loop loop;

  if (auto made = make_places(config); !made) return made;
  const auto lock = lock_state(config);
  if (!lock) return fail(lock.error());
  auto store = SqliteStore::open(config.store_sqlite);
  if (!store) return fail(store.error());
  auto sockets = listen_all(config);
  if (!sockets) return fail(sockets.error());
  auto app = ControllerApp::start({loop, **store, log, audit}, config, std::move(*sockets));
  if (!app) return fail(app.error());

  const SignalWatch terminate(loop, SIGTERM, [&app] { (*app)->stop(); });
  const SignalWatch interrupt(loop, SIGINT, [&app] { (*app)->stop(); });
  const SignalWatch hang_up(loop, SIGHUP, [&] { reload_or_keep(**app, config, read, log); });
  Timer watchdog(loop, notify_watchdog);
  if (const auto every = watchdog_interval()) watchdog.start_every(*every);

  log.info("serving", {{"version", PLIMSOLL_VERSION},
                       {"socket", config.socket.path},
                       {"uplink", config.uplink.path},
                       {"store", config.store_sqlite}});
  notify_ready("serving");
  auto ended = (*app)->run();
  notify_stopping();
  app->reset();
  unlink_all(config);
  if (ended) log.info("stopped");
  return ended;
}

}  // namespace plimsoll
