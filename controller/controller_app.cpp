// controller_app.cpp - see controller_app.hpp. Performs; never decides about backups.
#include "controller/controller_app.hpp"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <type_traits>

#include "controller/controller_settings.hpp"
#include "controller/io/api/answer.hpp"
#include "runtime/errno_error.hpp"

namespace plimsoll {
namespace {

constexpr std::size_t kMaxStoreJobs = 512;   // one commit, and one read per HTTP connection
constexpr Duration kTickEvery = seconds(1);  // the longest the core waits for a Tick
constexpr milliseconds kShortestTick{1};

// Trouble that can pass: the commit is tried again. With any other, memory and disk may disagree,
// and only a start from what is on the disk puts that right.
bool may_pass(const Error& error) {
  return error.code == ErrorCode::no_space || error.code == ErrorCode::busy ||
         error.code == ErrorCode::address_in_use;
}

Result<std::uint64_t> draw_seed() {
  std::uint64_t seed = 0;
  if (::getrandom(&seed, sizeof seed, 0) != static_cast<ssize_t>(sizeof seed))
    return errno_failure("draw a random seed", errno);
  return seed;
}

}  // namespace

Result<std::unique_ptr<ControllerApp>> ControllerApp::start(const ControllerParts& parts,
                                                            const ControllerConfig& config,
                                                            ControllerSockets sockets) {
  const auto admins = admins_of(config);
  if (!admins) return fail(admins.error());
  const auto seed = draw_seed();
  if (!seed) return fail(seed.error());
  auto loaded = parts.store.load();
  if (!loaded) return fail(loaded.error());
  Clock clock;
  const RestoreTime time{clock.now(), clock.wall()};
  auto state = restore(std::move(*loaded), settings_of(config), time, *seed);
  std::unique_ptr<ControllerApp> app(new ControllerApp(parts, std::move(state), *admins, clock));
  if (auto served = app->serve(config, std::move(sockets)); !served) return fail(served.error());
  return app;
}

ControllerApp::ControllerApp(const ControllerParts& parts, ControllerState state,
                             const ApiAdmins& admins, const Clock& clock)
    : loop_(parts.loop),
      store_(parts.store),
      log_(parts.log),
      audit_(parts.audit),
      clock_(clock),
      state_(std::move(state)),
      api_(state_, admins, api_ports()),
      tick_(loop_, [this] { queue(Tick{clock_.wall()}); }),
      worker_(loop_, kMaxStoreJobs) {}

ControllerApp::~ControllerApp() {
  loop_.on_turn({});
}

Result<void> ControllerApp::serve(const ControllerConfig& config, ControllerSockets sockets) {
  uplink_.emplace(loop_, std::move(sockets.uplink), config.uplink.agent_uids, uplink_callbacks());
  HttpServerOptions options;
  options.handler = [this](HttpRequest request, HttpResponder responder) {
    api_.handle(std::move(request), std::move(responder));
  };
  options.render_error = render_server_error;
  auto http = HttpServer::start(loop_, std::move(sockets.api), std::move(options));
  if (!http) return fail(http.error());
  http_.emplace(std::move(*http));
  loop_.on_turn([this] { turn(); });
  queue(Tick{clock_.wall()});
  tick_.start_once(kShortestTick);  // the first turn, with whatever restore() left to do
  return {};
}

ApiPorts ControllerApp::api_ports() {
  ApiPorts ports;
  ports.now = [this] { return clock_.now(); };
  ports.call_core = [this](RequestId request, Caller caller, ApiCall call) {
    queue(ApiRequest{request, caller, std::move(call), clock_.wall()});
  };
  ports.read_history = [this](HistoryOf of, auto done) {
    return start_history_read(std::move(of), std::move(done));
  };
  ports.unready_reasons = [this] { return unready_reasons(); };
  ports.audit = [this](const ApiAudit& line) { write_audit(line); };
  return ports;
}

UplinkCallbacks ControllerApp::uplink_callbacks() {
  UplinkCallbacks callbacks;
  callbacks.on_opened = [this](ConnectionId id) { queue(LinkOpened{id}); };
  callbacks.on_message = [this](ConnectionId id, UplinkMessage message) {
    queue(MessageReceived{id, std::move(message), clock_.wall()});
  };
  callbacks.on_closed = [this](ConnectionId id) { queue(LinkClosed{id}); };
  callbacks.on_rejected = [this](UplinkRejection rejection, const PeerCredentials& peer) {
    log_.warning("uplink peer closed",
                 {{"reason", word(rejection)}, {"uid", peer.uid}, {"pid", peer.pid}});
  };
  return callbacks;
}

Result<void> ControllerApp::run() {
  loop_.run();
  if (fatal_) return fail(*fatal_);
  return {};
}

void ControllerApp::stop() {
  stopping_ = true;
  if (!committing_.under_way) loop_.stop();
}

void ControllerApp::turn() {
  const auto now = clock_.now();
  while (!events_.empty() && !fatal_) {
    const auto event = std::move(events_.front());
    events_.pop_front();
    for (auto& effect : step(state_, event, now))
      perform(effect);
  }
  uplink_->close_idle(now);
  api_.flush_watches();
  arm_tick(now);
}

// Kept to its own schedule, however many turns the loop makes in between.
void ControllerApp::arm_tick(TimePoint now) {
  if (!last_tick_ || now - *last_tick_ >= kTickEvery) last_tick_ = now;
  auto due = *last_tick_ + kTickEvery;
  if (const auto deadline = next_deadline(state_)) due = std::min(due, *deadline);
  const auto delay = std::chrono::ceil<milliseconds>(due - now);
  tick_.start_once(std::max(delay, kShortestTick));
}

void ControllerApp::perform(Effect& effect) {
  std::visit(
      [this](auto& what) {
        using What = std::decay_t<decltype(what)>;
        if constexpr (std::is_same_v<What, Send>)
          uplink_->send(what.connection, what.message);
        else if constexpr (std::is_same_v<What, CloseLink>)
          uplink_->close(what.connection);
        else if constexpr (std::is_same_v<What, Commit>)
          perform_commit(what);
        else if constexpr (std::is_same_v<What, Reply>)
          api_.reply(what);
        else if constexpr (std::is_same_v<What, Changed>)
          api_.changed(what);
        else
          perform_note(what);
      },
      effect);
}

void ControllerApp::perform_note(const Note& note) {
  switch (note.level) {
    case NoteLevel::info:
      return log_.info("controller", {{"text", note.text}});
    case NoteLevel::warn:
      return log_.warning("controller", {{"text", note.text}});
    case NoteLevel::error:
      return log_.error("controller", {{"text", note.text}});
  }
}

void ControllerApp::perform_commit(Commit& commit) {
  PLIMSOLL_CHECK(!committing_.under_way);
  committing_ = Committing{commit.ticket, std::move(commit.writes), {}, true};
  const bool posted = worker_.post(
      [this] { committing_.result = store_.commit(committing_.writes); }, [this] { end_commit(); });
  if (posted) return;
  committing_.under_way = false;
  queue(CommitFailed{commit.ticket, Error{ErrorCode::busy, "the store's queue is full", "", ""}});
}

void ControllerApp::end_commit() {
  committing_.under_way = false;
  if (stopping_) loop_.stop();
  if (committing_.result) {
    if (store_trouble_) log_.info("store commits again");
    store_trouble_.reset();
    return queue(Committed{committing_.ticket});
  }
  store_trouble_ = committing_.result.error();
  if (!may_pass(*store_trouble_)) return give_up(*store_trouble_);
  log_.failure(LogLevel::error, "store cannot commit", *store_trouble_);
  queue(CommitFailed{committing_.ticket, *store_trouble_});
}

bool ControllerApp::start_history_read(HistoryOf of,
                                       std::function<void(Result<std::vector<UploadEvent>>)> done) {
  const auto read =
      history_reads_.insert(history_reads_.end(), HistoryRead{std::move(of), std::move(done), {}});
  const bool posted = worker_.post([this, read] { read->result = store_.read_history(read->of); },
                                   [this, read] {
                                     const auto ended = std::move(*read);
                                     history_reads_.erase(read);
                                     ended.done(ended.result);
                                   });
  if (!posted) history_reads_.erase(read);
  return posted;
}

// Who changed what goes to the audit log whole; what was refused is only worth so many lines a
// second.
void ControllerApp::write_audit(const ApiAudit& line) {
  if (line.code.empty())
    return audit_.info("changed", {{"uid", line.peer.uid},
                                   {"pid", line.peer.pid},
                                   {"action", line.action},
                                   {"status", line.status}});
  log_.warning("change refused", {{"uid", line.peer.uid},
                                  {"pid", line.peer.pid},
                                  {"action", line.action},
                                  {"status", line.status},
                                  {"code", line.code}});
}

void ControllerApp::give_up(const Error& error) {
  fatal_ = error;
  loop_.stop();
}

std::vector<std::string> ControllerApp::unready_reasons() const {
  std::vector<std::string> reasons;
  if (store_trouble_) reasons.push_back(store_trouble_->message);
  if (reasons.empty() && !store_is_available(state_)) reasons.emplace_back("the store is behind");
  if (stopping_) reasons.emplace_back("stopping");
  return reasons;
}

Result<void> ControllerApp::reload(const ControllerConfig& config) {
  auto admins = admins_of(config);
  if (!admins) return fail(admins.error());
  api_.set_admins(std::move(*admins));
  uplink_->set_agent_uids(config.uplink.agent_uids);
  state_.settings = settings_of(config);
  return {};
}

}  // namespace plimsoll
