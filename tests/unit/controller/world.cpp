// world.cpp - see world.hpp.
#include "tests/unit/controller/world.hpp"

#include <algorithm>
#include <utility>

#include <catch2/catch.hpp>

namespace plimsoll::test {

Report running(std::uint64_t segment_number, const std::string& backup, const std::string& item) {
  Report report;
  report.segment = segment(segment_number);
  Identity identity;
  identity.backup = backup;
  identity.item = item;
  identity.tool = "restic";
  report.identity = identity;
  report.domain = "default";
  report.owner_uid = 1000;
  report.seq = 1;
  Sample sample;
  sample.completed = 10;
  sample.total = 100;
  report.sample = sample;
  report.state = AttemptState::running;
  report.started_unix_ms = 1'790'000'000'000;
  report.updated_unix_ms = 1'790'000'001'000;
  return report;
}

Report ended(Report report, Outcome outcome, const std::string& err, bool will_retry) {
  report.state = AttemptState::ended;
  report.seq += 1;
  Terminal terminal;
  terminal.outcome = outcome;
  terminal.err = err;
  terminal.will_retry = will_retry;
  if (outcome == Outcome::durable) {
    terminal.completed = 100;
    terminal.total = 100;
    terminal.stored_as = "ae5a0e22";
  }
  report.terminal = terminal;
  return report;
}

Report lost(Report report) {
  report.state = AttemptState::lost;
  report.reason = "its lock is free";
  return report;
}

World::World(ControllerSettings with) : settings(std::move(with)) {
  state = restore(load(), settings, {now, wall_}, ++last_seed_);
}

void World::apply(const Event& event) {
  for (auto& effect : step(state, event, now)) {
    auto* commit = std::get_if<Commit>(&effect);
    if (commit == nullptr) {
      effects.push_back(std::move(effect));
      continue;
    }
    REQUIRE_FALSE(held.has_value());
    held = std::move(*commit);
  }
  if (!hold_commits) finish_commit();
}

void World::note_deleted(const StoreWrite& write) {
  if (const auto* one = std::get_if<DeleteAttempt>(&write)) gone.insert(one->segment);
  const auto* backup = std::get_if<DeleteBackup>(&write);
  if (backup == nullptr) return;
  for (const auto& [item, id] : stored.uploads_of(backup->uid))
    gone.insert(stored.attempts_of(id).begin(), stored.attempts_of(id).end());
}

void World::finish_commit() {
  if (!held) return;
  const Commit commit = *std::exchange(held, std::nullopt);
  for (const auto& write : commit.writes) {
    note_deleted(write);
    stored.apply(write);
  }
  apply(Committed{commit.ticket});
}

void World::fail_commit() {
  REQUIRE(held.has_value());
  const auto ticket = std::exchange(held, std::nullopt)->ticket;
  apply(CommitFailed{ticket, Error{ErrorCode::no_space, "disk is full", "", ""}});
}

void World::advance(Duration duration) {
  const TimePoint end = now + duration;
  const auto wall_end = wall_ + std::chrono::duration_cast<milliseconds>(duration);
  while (const auto next = next_deadline(state)) {
    if (*next > end) break;
    const auto to = std::max(now + milliseconds(1), *next);
    wall_ += std::chrono::duration_cast<milliseconds>(to - now);
    now = to;
    for (const auto& one : nodes_)  // agents that live are heard
      if (state.links.count(one.connection) != 0)
        apply(MessageReceived{one.connection, Ping{one.session, 0, false}, wall_});
    tick();
  }
  now = end;
  wall_ = wall_end;
  tick();
}

LoadedStore World::load() const {
  LoadedStore loaded;
  loaded.id = StoreId{1, 2};
  const auto copy = [](const auto& rows, auto& to) {
    for (const auto& [key, row] : rows) {
      to.push_back(row);
      if constexpr (requires { to.back().born; }) to.back().born = {};
    }
  };
  copy(stored.backups(), loaded.backups);
  copy(stored.uploads(), loaded.uploads);
  copy(stored.attempts(), loaded.attempts);
  copy(stored.nodes(), loaded.nodes);
  copy(stored.tombstones(), loaded.tombstones);
  return loaded;
}

void World::restart(Duration down) {
  held.reset();
  nodes_.clear();
  now += down;
  wall_ += std::chrono::duration_cast<milliseconds>(down);
  state = restore(load(), settings, {now, wall_}, ++last_seed_);
}

ApiResult World::call(ApiCall call, Caller caller) {
  const RequestId request{++last_request_};
  apply(ApiRequest{request, caller, std::move(call), wall_});
  for (const auto& effect : effects)
    if (const auto* reply = std::get_if<Reply>(&effect); reply && reply->request == request)
      return reply->result;
  return tl::unexpected(ApiError{Error{ErrorCode::timeout, "no answer yet", "", ""}, {}});
}

ApiResult World::create(const std::string& name, SealMode seal,
                        const std::vector<std::string>& items) {
  CreateBackupCall create;
  create.name = name;
  create.seal = seal;
  for (const auto& item : items)
    create.items.push_back({item, "", "", 0, ""});
  return call(create);
}

ApiResult World::add(const std::string& backup, const std::string& item, CreateMode create) {
  AddItemCall add;
  add.backup = backup;
  add.item.item = item;
  add.create = create;
  return call(add);
}

ApiResult World::seal(const std::string& backup, SealOutcome outcome, bool allow_empty) {
  return call(SealCall{backup, outcome, {}, allow_empty});
}

World::Node& World::node(const std::string& name) {
  for (auto& one : nodes_)
    if (one.name == name) return one;
  nodes_.push_back({name, {}, 0, 0});
  return nodes_.back();
}

std::uint64_t World::batches_of(const std::string& name) const {
  for (const auto& one : nodes_)
    if (one.name == name) return one.seq;
  return 0;
}

ConnectionId World::connection(const std::string& name) const {
  for (const auto& one : nodes_)
    if (one.name == name) return one.connection;
  return ConnectionId{0};
}

std::uint64_t World::connect(const std::string& name, std::uint64_t boot) {
  Node& one = node(name);
  one.connection = ConnectionId{++last_connection_};
  one.seq = 0;
  apply(LinkOpened{one.connection});
  Hello hello;
  hello.node = name;
  hello.boot = BootId{boot, 0xB007};
  hello.agent_version = "0.1.0";
  hello.lost_after_ms = 120'000;
  apply(MessageReceived{one.connection, hello, wall_});
  const auto welcomes = sent<Welcome>(name);
  one.session = welcomes.empty() ? 0 : welcomes.back().session;
  return one.session;
}

void World::disconnect(const std::string& name) {
  apply(LinkClosed{connection(name)});
}

void World::report(const Report& report, const std::string& name) {
  Node& one = node(name);
  apply(MessageReceived{one.connection, Batch{one.session, ++one.seq, false, false, {report}},
                        wall_});
}

void World::full_state(const std::vector<Report>& reports, const std::string& name) {
  Node& one = node(name);
  apply(MessageReceived{one.connection, Batch{one.session, ++one.seq, true, true, reports}, wall_});
}

BackupDocument World::backup(const std::string& name) const {
  const auto found = get_backup(state, name);
  REQUIRE(found.has_value());
  return *found;
}

UploadDocument World::upload(const std::string& backup_name, const std::string& item) const {
  const auto uid = backup(backup_name).uid;
  for (const auto& one : backup_uploads(state, uid, "", now).items)
    if (one.item == item) return one;
  FAIL("no upload of " << item);
  return {};
}

// As an agent would hold it: the newest full set, and the changes since.
DesiredAction World::desired(std::uint64_t segment_number, const std::string& name) const {
  auto action = DesiredAction::run;
  for (const auto& frame : sent<Desired>(name)) {
    if (frame.reset) action = DesiredAction::run;
    for (const auto& entry : frame.entries)
      if (entry.segment == segment(segment_number)) action = entry.action;
  }
  return action;
}

}  // namespace plimsoll::test
