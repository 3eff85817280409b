// agent_app.cpp - one turn: hints become looks, looks become events, events become effects.
#include "agent/agent_app.hpp"

#include <utility>
#include <variant>

#include "agent/core/agent_step.hpp"
#include "agent/io/segment_policy.hpp"
#include "agent/process_facts.hpp"
#include "agent/settings_of.hpp"
#include "runtime/socket/unix_socket.hpp"
#include "schemas/text.hpp"

namespace plimsoll {
namespace {

constexpr milliseconds kTickEvery{250};
constexpr mode_t kSocketMode = 0660;
constexpr std::size_t kMaxEventsPerDrain = 100'000;  // what is left waits for the next turn

AgentState initial_state(const AgentConfig& config) {
  auto settings = agent_settings(config);
  settings.boot = read_boot_id();
  settings.agent = random_agent_id();
  return {std::move(settings), random_number()};
}

std::string directory_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}
std::string name_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

AgentApp::AgentApp(AgentHost host, AgentConfig config)
    : host_(host),
      config_(std::move(config)),
      state_(initial_state(config_)),
      reader_(raise_open_file_limit() / 5 * 4, [this](Event event) { push(std::move(event)); }) {}

AgentApp::~AgentApp() {
  host_.loop.on_turn({});
}

Result<void> AgentApp::start() {
  refresh_moment();
  if (auto started = start_discovery(); !started) return started;
  discovery_->tick(moment_.now);
  if (auto started = start_api(); !started) return started;
  start_uplink();
  start_timers();
  host_.loop.on_turn([this] { turn(); });
  return {};
}

Result<void> AgentApp::start_discovery() {
  auto settings = discovery_settings(config_);
  if (!settings) return fail(settings.error());
  auto discovery =
      SegmentDiscovery::create(host_.loop, std::move(*settings), reader_,
                               [this](const Refusal& refusal) { on_refusal(refusal); });
  if (!discovery) return fail(discovery.error());
  discovery_ = std::move(*discovery);
  return {};
}

Result<void> AgentApp::start_api() {
  auto access = access_rules(config_.socket.admins);
  if (!access) return fail(access.error());
  std::optional<gid_t> group;
  if (!config_.socket.group.empty()) {
    const auto number = group_number(config_.socket.group);
    if (!number)
      return fail(ErrorCode::config, "socket.group: " + number.error().message,
                  number.error().hint);
    group = *number;
  }
  auto listening = listen_unix(config_.socket.path, kSocketMode, group);
  if (!listening) return fail(listening.error());
  api_.emplace(state_, std::move(*access),
               QueryPorts{[this] { return moment_; },
                          [this](const SegmentId& segment) { return reader_.history_of(segment); },
                          [this](const CancelOrder& order) { return cancel(order); },
                          [this] { return not_ready(); }});
  HttpServerOptions options;
  options.handler = [this](HttpRequest request, HttpResponder responder) {
    api_->handle(std::move(request), std::move(responder));
  };
  options.render_error = QueryApi::render_error;
  auto server = HttpServer::start(host_.loop, std::move(*listening), std::move(options));
  if (!server) return fail(server.error());
  server_ = std::move(*server);
  return {};
}

void AgentApp::start_uplink() {
  if (!config_.has_controller()) return;
  uplink_.emplace(host_.loop, config_.controller, [this](Event event) { push(std::move(event)); });
  auto watch = DirWatch::create(host_.loop, [this](const DirEvent& event) {
    if (event.has(dir_change::kIgnored)) controller_watch_number_ = -1;
    const bool made = event.has(dir_change::kCreated) || event.has(dir_change::kMovedIn);
    if (made && event.name == name_of(config_.controller)) push(ControllerAppeared{});
  });
  if (watch)
    controller_watch_ = std::move(*watch);
  else  // dialling again and again finds it too, only later
    host_.log.failure(LogLevel::warning, "cannot watch for the controller's socket", watch.error());
  watch_for_controller();
}

void AgentApp::watch_for_controller() {
  if (!controller_watch_ || controller_watch_number_ >= 0) return;
  const auto added = controller_watch_->add(directory_of(config_.controller),
                                            dir_change::kCreated | dir_change::kMovedIn);
  if (added)
    controller_watch_number_ = *added;  // else the directory comes later: the next tick tries again
}

void AgentApp::start_timers() {
  tick_timer_ = Timer(host_.loop, [this] {
    tick_due_ = true;
    watch_for_controller();
    if (api_) api_->pump_watches();
  });
  tick_timer_.start_every(kTickEvery);
  sweep_timer_ = Timer(host_.loop, [this] { reader_.begin_sweep(); });
  sweep_timer_.start_every(config_.sweep);
}

Moment AgentApp::refresh_moment() {
  moment_ = {host_.clock.now(), host_.clock.wall(), boottime_ns()};
  return moment_;
}

// Everything the callbacks of this turn left behind, and a bounded piece of whatever is long.
void AgentApp::turn() {
  refresh_moment();
  if (tick_due_) discovery_->tick(moment_.now);
  const bool more_names = discovery_->work(moment_.wall);
  const bool more_looks = reader_.sweep_some();
  const bool had_events = !queue_.empty();
  drain();
  if (had_events || tick_due_) {
    step_once(Tick{});
    drain();
  }
  tick_due_ = false;
  if (more_names || more_looks || !queue_.empty())
    host_.loop.post([] {});  // another turn, without waiting
}

void AgentApp::drain() {
  for (std::size_t done = 0; !queue_.empty() && done < kMaxEventsPerDrain; ++done) {
    const auto event = std::move(queue_.front());
    queue_.pop_front();
    step_once(event);
    if (const auto* gone = std::get_if<SegmentGone>(&event)) {
      if (const auto file = reader_.file_of(gone->segment)) discovery_->note_room(*file);
      reader_.forget(gone->segment);
    }
  }
}

void AgentApp::step_once(const Event& event) {
  for (const auto& effect : step(state_, event, moment_))
    perform(effect);
}

void AgentApp::perform(const Effect& effect) {
  if (std::holds_alternative<Dial>(effect)) return uplink_->dial();
  if (std::holds_alternative<CloseLink>(effect)) return uplink_->close();
  if (const auto* send = std::get_if<Send>(&effect)) return uplink_->send(send->message);
  if (const auto* cancel = std::get_if<WriteCancel>(&effect))
    return perform_cancel(cancel->segment);
  if (const auto* read = std::get_if<ReadNow>(&effect)) return reader_.look_now(read->segment);
  if (const auto* unlink = std::get_if<Unlink>(&effect)) return perform_unlink(unlink->segment);
  if (const auto* dropped = std::get_if<Drop>(&effect)) return perform_drop(dropped->segment);
  write_note(std::get<Note>(effect));
}

void AgentApp::perform_cancel(const SegmentId& segment) {
  const auto file = reader_.file_of(segment);
  const auto written =
      file ? write_cancel(*file) : fail(ErrorCode::not_found, "the segment is not there any more");
  if (!written) {
    host_.log.failure(LogLevel::warning, "cannot tell a mover to cancel", written.error(),
                      {{"segment", to_hex(segment)}});
    cancel_error_ = written.error();
  }
  push(CancelWritten{segment, written.has_value()});
}

void AgentApp::perform_unlink(const SegmentId& segment) {
  const auto file = reader_.file_of(segment);
  if (!file) return push(SegmentGone{segment});
  const auto unlinked = unlink_segment(*file);
  if (unlinked || unlinked.error().code == ErrorCode::not_found) return push(SegmentGone{segment});
  host_.log.failure(LogLevel::warning, "cannot remove a finished segment", unlinked.error(),
                    {{"segment", to_hex(segment)}});
}

void AgentApp::perform_drop(const SegmentId& segment) {
  if (const auto file = reader_.file_of(segment)) discovery_->note_no_room(*file);
  reader_.forget(segment);
}

void AgentApp::write_note(const Note& note) {
  const auto write = [this, &note](LogFields fields) {
    if (note.level == NoteLevel::debug) return host_.log.debug(note.message, fields);
    if (note.level == NoteLevel::info) return host_.log.info(note.message, fields);
    host_.log.warning(note.message, fields);
  };
  const auto& from = note.fields;
  switch (from.size()) {
    case 0:
      return write({});
    case 1:
      return write({{from[0].first, from[0].second}});
    case 2:
      return write({{from[0].first, from[0].second}, {from[1].first, from[1].second}});
    default:
      return write({{from[0].first, from[0].second},
                    {from[1].first, from[1].second},
                    {from[2].first, from[2].second}});
  }
}

Result<void> AgentApp::cancel(const CancelOrder& order) {
  host_.log.info("cancel asked", {{"by_uid", order.by},
                                  {"segments", order.segments.size()},
                                  {"reason", clean_utf8(order.reason, 160)}});
  cancel_error_.reset();
  for (const auto& segment : order.segments)
    push(CancelRequested{segment});
  drain();
  tick_due_ = true;
  if (cancel_error_) return fail(*std::exchange(cancel_error_, std::nullopt));
  return {};
}

std::vector<std::string> AgentApp::not_ready() const {
  std::vector<std::string> reasons;
  for (const auto& path : discovery_->not_open())
    reasons.push_back("directory " + quoted(path) + " cannot be read");
  return reasons;
}

void AgentApp::on_refusal(const Refusal& refusal) {
  if (refusal.name.empty())
    return host_.log.failure(LogLevel::warning, "cannot read a directory of segments",
                             refusal.error, {{"directory", refusal.directory}});
  host_.log.failure(LogLevel::warning, "file in a directory of segments is not read", refusal.error,
                    {{"directory", refusal.directory}, {"file", refusal.name}});
}

void AgentApp::reload(const AgentConfig& config) {
  auto kept = config_;
  auto fresh = config;
  const auto settings = agent_settings(config);
  state_.settings.stall_after = settings.stall_after;
  state_.settings.lost_after = settings.lost_after;
  state_.settings.keep_finished = settings.keep_finished;
  state_.settings.keep_unacknowledged = settings.keep_unacknowledged;
  state_.settings.limits = settings.limits;
  host_.log.set_level(log_options(config).level);
  for (auto* one : {&kept, &fresh}) {  // what was just taken is no difference any more
    one->stall_after = one->lost_after = one->keep_finished = one->keep_unacknowledged = {};
    one->limits = {};
    one->log.level.clear();
  }
  if (kept == fresh)
    host_.log.info("configuration reloaded");
  else
    host_.log.warning(
        "configuration reloaded; some of it counts only after a restart",
        {{"at_once",
          "stallAfter, lostAfter, keepFinished, keepUnacknowledged, limits, log.level"}});
}

void AgentApp::stop() {
  push(ShutdownRequested{});
  drain();
  tick_timer_.stop();
  sweep_timer_.stop();
  server_.reset();
  unlink_socket(config_.socket.path);
  host_.loop.on_turn({});
}

}  // namespace plimsoll
