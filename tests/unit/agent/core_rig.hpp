// core_rig.hpp - the agent's core on a table: a clock moved by hand, segments said into being,
// effects collected.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "agent/core/agent_step.hpp"

namespace plimsoll::test {

inline SegmentId segment_id(std::uint64_t number) {
  return {number, 0xA6E17ULL};
}

inline AgentSettings test_settings() {
  AgentSettings settings;
  settings.node = "node-1";
  settings.version = "test";
  settings.boot = {1, 2};
  settings.agent = {3, 4};
  return settings;
}

inline Sample sample_of(std::int64_t completed, std::int64_t total = 0) {
  Sample sample;
  sample.completed = completed;
  sample.total = total;
  sample.activity = Activity::sending;
  return sample;
}

inline Terminal terminal_of(Outcome outcome, const std::string& err = "") {
  Terminal terminal;
  terminal.outcome = outcome;
  terminal.err = err;
  return terminal;
}

inline Reading reading_of(bool lock_held, std::uint64_t seq = 0, std::int64_t completed = 0) {
  Reading reading;
  reading.lock_held = lock_held;
  reading.heartbeat = seq;
  reading.seq = seq;
  if (seq > 0) reading.sample = sample_of(completed, 1000);
  return reading;
}

inline Reading ended_reading(Outcome outcome, bool lock_held = false) {
  auto reading = reading_of(lock_held);
  reading.terminal = terminal_of(outcome);
  return reading;
}

class CoreRig {
 public:
  explicit CoreRig(AgentSettings settings = test_settings(), std::uint64_t seed = 7)
      : state(std::move(settings), seed) {
    moment.now = TimePoint(seconds(1000));
    moment.wall = WallTime(seconds(1'800'000'000));
    moment.boottime_ns = 5'000'000'000'000;
  }

  Effects apply(const Event& event) {
    auto effects = step(state, event, moment);
    all.insert(all.end(), effects.begin(), effects.end());
    return effects;
  }
  Effects tick() { return apply(Tick{}); }
  void advance(Duration span) {
    moment.now += span;
    moment.wall += std::chrono::duration_cast<milliseconds>(span);
    moment.boottime_ns += static_cast<std::uint64_t>(span.count());
  }
  Effects tick_after(Duration span) {
    advance(span);
    return tick();
  }

  Effects found(std::uint64_t number, const Reading& reading, const Identity& identity = {}) {
    SegmentOrigin origin{segment_id(number), directory, "default", owner_uid,
                         4'000'000'000'000 + number};
    return apply(SegmentFound{origin, identity, reading});
  }
  Effects read(std::uint64_t number, const Reading& reading) {
    return apply(SegmentRead{segment_id(number), reading});
  }
  const Attempt& attempt(std::uint64_t number) const {
    return *state.attempts.find(segment_id(number));
  }
  bool knows(std::uint64_t number) const {
    return state.attempts.find(segment_id(number)) != nullptr;
  }

  // To a session that works; the full state goes out with it.
  void connect(std::uint64_t session = 1, StoreId store = {9, 9}) {
    tick();
    apply(LinkOpened{});
    receive(welcome(session, store));
    tick();
  }
  Effects receive(UplinkMessage message) { return apply(MessageReceived{std::move(message)}); }
  static Welcome welcome(std::uint64_t session, StoreId store = {9, 9}) {
    Welcome welcome;
    welcome.session = session;
    welcome.store = store;
    return welcome;
  }
  // Acknowledges everything sent so far.
  Effects acknowledge(std::vector<RefusedReport> refused = {}) {
    return receive(Ack{state.uplink.session, state.uplink.next_seq - 1, std::move(refused)});
  }

  template <typename Message>
  static std::vector<Message> sent(const Effects& effects) {
    std::vector<Message> found;
    for (const auto& effect : effects)
      if (const auto* send = std::get_if<Send>(&effect))
        if (const auto* message = std::get_if<Message>(&send->message)) found.push_back(*message);
    return found;
  }
  template <typename Wanted>
  static std::size_t count(const Effects& effects) {
    return static_cast<std::size_t>(
        std::count_if(effects.begin(), effects.end(),
                      [](const Effect& effect) { return std::holds_alternative<Wanted>(effect); }));
  }
  static std::vector<Report> reports(const Effects& effects) {
    std::vector<Report> found;
    for (const auto& batch : sent<Batch>(effects))
      found.insert(found.end(), batch.reports.begin(), batch.reports.end());
    return found;
  }

  AgentState state;
  Moment moment;
  Effects all;
  std::uint32_t directory = 0;
  std::uint32_t owner_uid = 1000;
};

}  // namespace plimsoll::test
