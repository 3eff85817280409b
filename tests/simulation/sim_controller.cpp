// sim_controller.cpp - the thin shell around the controller's core in a simulated world.
#include "tests/simulation/sim_controller.hpp"

#include <algorithm>
#include <utility>

namespace plimsoll::sim {
namespace {

ControllerSettings short_timers() {
  ControllerSettings settings;
  settings.version = "sim";
  settings.any_node = true;
  settings.attach_timeout = seconds(40);
  settings.retry_within = seconds(15);
  settings.retrieval_grace = seconds(30);
  settings.cancel_timeout = seconds(25);
  settings.auto_seal_after = seconds(3);
  return settings;
}

}  // namespace

void SimController::start() {
  state_.emplace(
      restore(world_.disk.load(), short_timers(), {world_.now, world_.wall()}, world_.rng.next()));
  next_tick_ = world_.now;
  world_.note("controller starts");
}

void SimController::crash() {
  world_.note("controller crashes");
  if (commit_ && world_.rng.one_in(2))
    write_down(commit_->writes);  // reached the disk, nobody heard
  commit_.reset();
  unwritten_.clear();
  for (auto& wire : world_.wires)
    wire.controller_end = false;
  state_.reset();
  queue_.clear();
  received_.clear();
  waiting_.clear();
}

std::optional<std::uint64_t> SimController::accept(std::size_t node) {
  if (!state_ || (world_.faults && world_.rng.one_in(10))) return std::nullopt;
  auto& wire = world_.wires.emplace_back();
  wire.id = next_connection_++;
  wire.node = node;
  queue_.push_back(LinkOpened{ConnectionId{wire.id}});
  return wire.id;
}

void SimController::request(ApiCall call, Answered answered) {
  const auto id = next_request_++;
  waiting_[id] = std::move(answered);
  feed(ApiRequest{RequestId{id}, {0, true}, std::move(call), world_.wall()});
}

void SimController::turn() {
  if (!state_ || paused()) return;
  if (!unwritten_.empty() && world_.now >= write_at_) {
    write_down(unwritten_);
    unwritten_.clear();
  }
  if (commit_ && world_.now >= commit_->due) finish_commit();
  for (auto& wire : world_.wires)
    if (state_ && wire.controller_end) receive(wire);
  world_.wires.remove_if([](const Wire& w) { return !w.agent_end && !w.controller_end; });
  if (world_.now < next_tick_ && queue_.empty()) return;
  next_tick_ = world_.now + milliseconds(500);
  feed(Tick{world_.wall()});
}

void SimController::receive(Wire& wire) {
  const ConnectionId id{wire.id};
  for (auto& message : wire.up.arrived(world_.now)) {
    if (const auto* batch = std::get_if<Batch>(&message)) received_[id].push_back(*batch);
    feed(MessageReceived{id, std::move(message), world_.wall()});
    if (!wire.controller_end) return;
  }
  if (wire.agent_end || !wire.up.empty() || world_.now < wire.close_seen_at) return;
  wire.controller_end = false;
  received_.erase(id);
  feed(LinkClosed{id});
}

void SimController::feed(Event event) {
  queue_.push_back(std::move(event));
  if (draining_) return;
  draining_ = true;
  while (!queue_.empty() && state_) {
    const auto next = std::move(queue_.front());
    queue_.pop_front();
    ++world_.steps;
    for (const auto& effect : step(*state_, next, world_.now))
      std::visit([this](const auto& one) { perform(one); }, effect);
  }
  draining_ = false;
}

Wire* SimController::wire_of(ConnectionId id) {
  const auto found = std::find_if(world_.wires.begin(), world_.wires.end(),
                                  [&](const Wire& w) { return ConnectionId{w.id} == id; });
  return found == world_.wires.end() ? nullptr : &*found;
}

void SimController::perform(const Send& effect) {
  auto* wire = wire_of(effect.connection);
  if (wire == nullptr || !wire->controller_end) return;
  if (const auto* ack = std::get_if<Ack>(&effect.message)) {
    auto& batches = received_[effect.connection];
    const auto end = std::partition_point(batches.begin(), batches.end(),
                                          [&](const Batch& b) { return b.seq <= ack->seq; });
    world_.laws.check_ack(world_.disk, std::span(batches.begin(), end), *ack);
    batches.erase(batches.begin(), end);
  }
  wire->down.send(effect.message, world_.now, world_.rng);
}

void SimController::perform(const CloseLink& effect) {
  if (auto* wire = wire_of(effect.connection)) wire->controller_end = false;
  received_.erase(effect.connection);
}

void SimController::perform(const Commit& effect) {
  PLIMSOLL_CHECK(!commit_);
  if (world_.mutant == Mutant::ack_before_commit) {
    unwritten_.insert(unwritten_.end(), effect.writes.begin(), effect.writes.end());
    write_at_ = world_.now + milliseconds(700);
    queue_.push_back(Committed{effect.ticket});
    return;
  }
  const bool slow = world_.faults && world_.rng.one_in(30);
  const auto delay = milliseconds(slow ? world_.rng.below(4000) : world_.rng.below(30));
  commit_ = PendingCommit{effect.ticket, effect.writes, world_.now + delay};
}

void SimController::finish_commit() {
  auto commit = std::move(*commit_);
  commit_.reset();
  if (world_.faults && world_.rng.one_in(40)) {
    world_.note("the disk refuses a commit");
    feed(CommitFailed{commit.ticket, {ErrorCode::no_space, "commit: no space"}});
    return;
  }
  write_down(commit.writes);
  feed(Committed{commit.ticket});
}

void SimController::write_down(const std::vector<StoreWrite>& writes) {
  world_.disk.write(writes);
  if (world_.mutant == Mutant::writes_out_of_order) {
    if (!late_.empty()) world_.disk.write(std::exchange(late_, {}));
    for (const auto& write : writes)
      if (std::holds_alternative<PutBackup>(write)) late_.push_back(write);
  }
  note_bindings();
  world_.laws.check_disk(world_.disk, world_.backups);
}

void SimController::note_bindings() {
  for (auto& mover : world_.movers) {
    if (!mover.bound_uid.empty()) continue;
    const auto attempt = world_.disk.attempts.find(mover.segment);
    if (attempt == world_.disk.attempts.end()) continue;
    const auto upload = world_.disk.uploads.find(attempt->second.upload_id);
    if (upload == world_.disk.uploads.end()) continue;
    mover.bound_uid = upload->second.backup_uid;
    mover.bound_at = world_.now;
  }
}

void SimController::perform(const Reply& effect) {
  const auto found = waiting_.find(static_cast<std::uint64_t>(effect.request));
  PLIMSOLL_CHECK(found != waiting_.end());
  const auto answered = std::move(found->second);
  waiting_.erase(found);
  answered(effect.result);
}

}  // namespace plimsoll::sim
