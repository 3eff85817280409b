// sim_agent.cpp - the thin shell around the agent's core in a simulated world.
#include "tests/simulation/sim_agent.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "agent/core/agent_step.hpp"
#include "tests/simulation/sim_mover.hpp"

namespace plimsoll::sim {

class AgentProcess {
 public:
  AgentProcess(Context& world, std::size_t node, SimAgent::Dial dial)
      : world_(world), node_(node), dial_(std::move(dial)) {}

  void start();
  void crash();
  void reboot();
  void pause(Duration d);
  void turn();
  [[nodiscard]] bool alive() const { return state_.has_value(); }
  [[nodiscard]] bool synced() const;

 private:
  void feed(agent::Event event);
  void drain();
  void receive();
  void sweep();
  void look(Mover& mover);
  [[nodiscard]] agent::Reading read(Mover& mover, bool lock_held);
  [[nodiscard]] agent::Moment moment() const;
  [[nodiscard]] Wire* wire();
  [[nodiscard]] Mover* mover_of(const SegmentId& segment);

  void perform(const agent::Dial&);
  void perform(const agent::Send& effect);
  void perform(const agent::CloseLink&);
  void perform(const agent::WriteCancel& effect);
  void perform(const agent::ReadNow& effect);
  void perform(const agent::Unlink& effect);
  void perform(const agent::Drop& effect) { seen_.erase(effect.segment); }
  void perform(const agent::Note& effect);

  Context& world_;
  std::size_t node_;
  SimAgent::Dial dial_;
  std::uint64_t boots_ = 1;
  std::uint64_t lives_ = 0;
  std::optional<agent::AgentState> state_;
  std::deque<agent::Event> queue_;
  std::map<SegmentId, std::uint64_t> seen_;  // by this process: newest sequence taken
  std::optional<std::uint64_t> connection_;
  TimePoint next_sweep_{};
  TimePoint paused_until_{};
};

SimAgent::SimAgent(Context& world, std::size_t node, Dial dial)
    : process_(std::make_unique<AgentProcess>(world, node, std::move(dial))) {}
SimAgent::~SimAgent() = default;
void SimAgent::start() {
  process_->start();
}
void SimAgent::crash() {
  process_->crash();
}
void SimAgent::reboot() {
  process_->reboot();
}
void SimAgent::pause(Duration d) {
  process_->pause(d);
}
void SimAgent::turn() {
  process_->turn();
}
bool SimAgent::alive() const {
  return process_->alive();
}
bool SimAgent::synced() const {
  return process_->synced();
}

agent::Moment AgentProcess::moment() const {
  return {world_.now, world_.wall(),
          static_cast<std::uint64_t>(world_.now.time_since_epoch().count())};
}

void AgentProcess::start() {
  agent::AgentSettings settings;
  settings.node = "node-" + std::to_string(node_);
  settings.boot = {node_ + 1, boots_};
  settings.agent = {node_ + 1, ++lives_};
  settings.version = "sim";
  settings.stall_after = seconds(20);
  settings.lost_after = seconds(5);
  settings.keep_finished = seconds(30);
  state_.emplace(settings, world_.rng.next());
  next_sweep_ = world_.now;
  world_.note("agent " + std::to_string(node_) + " starts");
}

void AgentProcess::crash() {
  world_.note("agent " + std::to_string(node_) + " crashes");
  if (auto* link = wire()) {
    link->agent_end = false;
    link->close_seen_at = world_.now;
  }
  state_.reset();
  connection_.reset();
  queue_.clear();
  seen_.clear();
}

void AgentProcess::reboot() {
  crash();
  ++boots_;
  for (auto& mover : world_.movers) {
    if (mover.node != node_) continue;
    mover.alive = false;
    mover.unlinked = true;
  }
  world_.note("node " + std::to_string(node_) + " reboots");
}

void AgentProcess::pause(Duration d) {
  paused_until_ = world_.now + d;
}

bool AgentProcess::synced() const {
  return state_ && agent::is_synced(state_->uplink);
}

void AgentProcess::turn() {
  if (!state_ || world_.now < paused_until_) return;
  receive();
  if (world_.now >= next_sweep_) sweep();
  feed(agent::Tick{});
}

void AgentProcess::receive() {
  auto* link = wire();
  if (link == nullptr) return;
  for (auto& message : link->down.arrived(world_.now)) {
    feed(agent::MessageReceived{std::move(message)});
    link = wire();
    if (link == nullptr) return;
  }
  if (link->controller_end || !link->down.empty()) return;
  link->agent_end = false;
  connection_.reset();
  feed(agent::LinkClosed{"closed by the controller"});
}

void AgentProcess::sweep() {
  next_sweep_ = world_.now + seconds(1);
  for (std::size_t i = 0; i < world_.movers.size(); ++i)
    if (world_.movers[i].node == node_ && !world_.movers[i].unlinked) look(world_.movers[i]);
}

void AgentProcess::look(Mover& mover) {
  const bool lock_held = mover.alive;            // the lock is asked first …
  if (world_.rng.one_in(6)) act(world_, mover);  // … anything may happen …
  auto reading = read(mover, lock_held);         // … and the page is read then
  if (seen_.contains(mover.segment)) {
    seen_[mover.segment] = std::max(seen_[mover.segment], reading.seq);
    feed(agent::SegmentRead{mover.segment, std::move(reading)});
    return;
  }
  seen_[mover.segment] = reading.seq;
  agent::SegmentOrigin origin;
  origin.segment = mover.segment;
  origin.domain = "default";
  origin.start_boottime_ns = mover.start_boottime_ns;
  feed(agent::SegmentFound{origin, mover.identity, std::move(reading)});
}

agent::Reading AgentProcess::read(Mover& mover, bool lock_held) {
  agent::Reading reading;
  reading.lock_held = lock_held;
  reading.cancel_asked = mover.cancel_byte;
  reading.heartbeat = mover.heartbeat;
  const auto seen = seen_.find(mover.segment);
  if (mover.seq > (seen == seen_.end() ? 0 : seen->second)) {
    reading.seq = mover.seq;
    reading.sample = mover.sample;
  }
  reading.terminal = mover.terminal;
  Terminal made_up;
  made_up.outcome = Outcome::durable;
  made_up.completed = made_up.total = mover.sample.completed;
  const bool full = mover.sample.total > 0 && mover.sample.completed >= mover.sample.total;
  if (world_.mutant == Mutant::full_bytes_is_durable && full && !mover.terminal)
    reading.terminal = made_up;
  if (world_.mutant == Mutant::vanished_is_durable && !lock_held && !mover.terminal)
    reading.terminal = made_up;
  return reading;
}

void AgentProcess::feed(agent::Event event) {
  queue_.push_back(std::move(event));
  drain();
}

void AgentProcess::drain() {
  while (!queue_.empty() && state_) {
    const auto event = std::move(queue_.front());
    queue_.pop_front();
    ++world_.steps;
    for (const auto& effect : agent::step(*state_, event, moment()))
      std::visit([this](const auto& one) { perform(one); }, effect);
  }
}

Wire* AgentProcess::wire() {
  if (!connection_) return nullptr;
  const auto found = std::find_if(world_.wires.begin(), world_.wires.end(),
                                  [&](const Wire& w) { return w.id == *connection_; });
  return found == world_.wires.end() ? nullptr : &*found;
}

Mover* AgentProcess::mover_of(const SegmentId& segment) {
  const auto found = std::find_if(world_.movers.begin(), world_.movers.end(), [&](const Mover& m) {
    return m.segment == segment && m.node == node_;
  });
  return found == world_.movers.end() ? nullptr : &*found;
}

void AgentProcess::perform(const agent::Dial&) {
  const auto id = dial_(node_);
  if (!id) {
    queue_.push_back(agent::LinkFailed{"nobody listens"});
    return;
  }
  connection_ = id;
  queue_.push_back(agent::LinkOpened{});
}

void AgentProcess::perform(const agent::Send& effect) {
  auto* link = wire();
  if (link != nullptr && link->agent_end) link->up.send(effect.message, world_.now, world_.rng);
}

void AgentProcess::perform(const agent::CloseLink&) {
  if (auto* link = wire()) {
    link->agent_end = false;  // what was sent may still arrive, long after the next session began
    link->close_seen_at = world_.now + milliseconds(world_.rng.below(world_.faults ? 8000 : 20));
  }
  connection_.reset();
}

void AgentProcess::perform(const agent::WriteCancel& effect) {
  auto* mover = mover_of(effect.segment);
  const bool ok = mover != nullptr && !mover->unlinked;
  if (ok && world_.mutant != Mutant::cancel_not_written) mover->cancel_byte = true;
  queue_.push_back(agent::CancelWritten{effect.segment, ok});
}

void AgentProcess::perform(const agent::ReadNow& effect) {
  auto* mover = mover_of(effect.segment);
  if (mover == nullptr || mover->unlinked || !seen_.contains(effect.segment)) return;
  auto reading = read(*mover, mover->alive);
  seen_[effect.segment] = std::max(seen_[effect.segment], reading.seq);
  queue_.push_back(agent::SegmentRead{effect.segment, std::move(reading)});
}

void AgentProcess::perform(const agent::Unlink& effect) {
  auto* mover = mover_of(effect.segment);
  if (mover == nullptr || mover->alive || mover->unlinked) return;
  world_.laws.check_unlink(world_, *mover);
  mover->unlinked = true;
  seen_.erase(effect.segment);
  queue_.push_back(agent::SegmentGone{effect.segment});
}

void AgentProcess::perform(const agent::Note& effect) {
  std::string line = "agent " + std::to_string(node_) + ": " + std::string(effect.message);
  for (const auto& [key, value] : effect.fields)
    line += " " + std::string(key) + "=" + value;
  world_.note(line);
}

}  // namespace plimsoll::sim
