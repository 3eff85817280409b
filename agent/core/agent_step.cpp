// agent_step.cpp - one function that decides; the leaves are in the other files of this folder.
#include "agent/core/agent_step.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "agent/core/observe.hpp"
#include "agent/core/retire.hpp"

namespace plimsoll {
inline namespace agent {
namespace {

constexpr Duration kReviewEvery = seconds(1);        // retirement and unanswered cancels
constexpr Duration kCancelRetryAfter = seconds(2);   // a write that did not show in the page
constexpr Duration kUnlinkRetryAfter = seconds(10);  // an unlink that was not done

std::uint32_t milliseconds_of(Duration span) {
  const auto count = std::chrono::duration_cast<milliseconds>(span).count();
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(count, 0, std::numeric_limits<std::uint32_t>::max()));
}

// One step in the making.
class Step {
 public:
  Step(AgentState& state, const Moment& moment) : state_(state), moment_(moment) {}
  Effects take() { return std::move(out_); }

  void on(const SegmentFound& event);
  void on(const SegmentRead& event);
  void on(const SegmentUnreadable& event);
  void on(const SegmentGone& event);
  void on(const LinkOpened&) { link_opened(state_.uplink, make_hello(state_.settings), turn()); }
  void on(const LinkFailed& event) { lose_link(event.why); }
  void on(const LinkClosed& event) { lose_link(event.why); }
  void on(const MessageReceived& event);
  void on(const ControllerAppeared&);
  void on(const CancelRequested& event);
  void on(const CancelWritten& event);
  void on(const Tick&);
  void on(const ShutdownRequested&);

 private:
  LinkTurn turn() { return {moment_.now, state_.random, out_}; }
  void lose_link(std::string_view why);
  void settle_link();

  void on_message(const Welcome& welcome);
  void on_message(const Refuse& refuse) { refused(state_.uplink, refuse, turn()); }
  void on_message(const Ack& ack);
  void on_message(const Desired& desired);
  void on_message(const Ping& ping) { pinged(state_.uplink, ping, turn()); }
  void on_message(const Hello&) {}  // refused by the table before
  void on_message(const Batch&) {}  // likewise

  void obey(Attempt& attempt);
  void obey_desired();
  void review();
  void retire(Attempt& attempt);
  void send_reports();
  void forget(const SegmentId& segment);

  AgentState& state_;
  const Moment& moment_;
  Effects out_;
};

void Step::on(const SegmentFound& event) {
  if (state_.attempts.find(event.origin.segment)) return;
  auto attempt = first_look(event.origin, event.identity, moment_);
  attempt.born_dead = !event.reading.lock_held;
  observe(state_, attempt, event.reading, moment_);
  const auto segment = event.origin.segment;
  const auto admission = state_.attempts.admit(std::move(attempt), state_.settings.limits);
  for (const auto& leaving : admission.gave_way)
    forget(leaving);
  state_.counters.evicted += admission.gave_way.size();
  if (admission.limit != LimitHit::none) {
    ++state_.counters.limit_hits;
    out_.push_back(Note{NoteLevel::warning,
                        "too many segments",
                        {{"limit", std::string(word(admission.limit))},
                         {"domain", event.origin.domain},
                         {"owner_uid", std::to_string(event.origin.owner_uid)}}});
  }
  if (!admission.admitted) {
    forget(segment);
    return;
  }
  obey(*state_.attempts.find(segment));
}

// Not in the table any more: nothing waits for it, nobody reads it.
void Step::forget(const SegmentId& segment) {
  state_.plan.urgent.erase(segment);
  state_.plan.changed.erase(segment);
  out_.push_back(Drop{segment});
}

void Step::on(const SegmentRead& event) {
  auto* attempt = state_.attempts.find(event.segment);
  if (!attempt) return;
  const auto before = attempt->delivery.version;
  const bool lock_before = attempt->lock_held;
  observe(state_, *attempt, event.reading, moment_);
  if (attempt->delivery.version != before || attempt->lock_held != lock_before)
    state_.attempts.touch(*attempt);
  obey(*attempt);
}

void Step::on(const SegmentUnreadable& event) {
  auto* attempt = state_.attempts.find(event.segment);
  if (!attempt) return;
  attempt->lock_held = event.lock_held;
  if (++attempt->faulty_reads == kUnreadableAfter)
    out_.push_back(
        Note{NoteLevel::warning,
             "segment no longer verifies",
             {{"segment", to_hex(event.segment)}, {"fault", std::string(word(event.fault))}}});
  // One faulty look may be a torn one; with the lock free nobody writes any more.
  if (!event.lock_held) attempt->faulty_reads = std::max(attempt->faulty_reads, kUnreadableAfter);
  judge_again(state_, *attempt, moment_);
  state_.attempts.touch(*attempt);
}

void Step::on(const SegmentGone& event) {
  auto* attempt = state_.attempts.find(event.segment);
  if (!attempt) return;
  attempt->file_gone = true;
  attempt->lock_held = false;
  if (attempt->unlink_tried_at) {  // ours: everything was settled before
    state_.plan.urgent.erase(event.segment);
    state_.plan.changed.erase(event.segment);
    state_.attempts.remove(event.segment);
    return;
  }
  judge_again(state_, *attempt, moment_);
  state_.attempts.touch(*attempt);
}

void Step::lose_link(std::string_view why) {
  link_lost(state_.uplink, why, turn());
  settle_link();
}

// After anything that may have ended the session.
void Step::settle_link() {
  if (state_.uplink.state != LinkState::disconnected) return;
  state_.desired.drop_unfinished();
  end_session(state_.plan);
}

void Step::on(const ControllerAppeared&) {
  if (state_.settings.has_controller && !state_.stopping) dial_at_once(state_.uplink, turn());
}

void Step::on(const MessageReceived& event) {
  const bool was_connected = state_.uplink.state != LinkState::disconnected;
  if (accept_message(state_.uplink, event.message, turn()))
    std::visit([this](const auto& message) { on_message(message); }, event.message);
  else if (was_connected && state_.uplink.state == LinkState::disconnected)
    ++state_.counters.protocol_errors;
  settle_link();
}

void Step::on_message(const Welcome& welcome) {
  const auto met = welcomed(state_.uplink, welcome, turn());
  if (met == StoreMet::refused) return;
  ++state_.counters.sessions;
  if (met == StoreMet::other) {
    forget_acks(state_.attempts);
    out_.push_back(
        Note{NoteLevel::warning, "the controller has another store; sending everything again", {}});
  }
  begin_full_state(state_.plan, state_.attempts);
}

void Step::on_message(const Ack& ack) {
  const auto sent = acknowledged(state_.uplink, ack, turn());
  state_.counters.refused_reports += take_acks(state_.attempts, sent, ack);
  for (const auto& report : sent)
    if (auto* attempt = state_.attempts.find(report.segment)) retire(*attempt);
}

void Step::on_message(const Desired& desired) {
  if (!state_.desired.take(desired)) {
    break_off(state_.uplink, "protocol error: a set of wishes beyond every bound", turn());
    return;
  }
  if (state_.desired.take_changed()) obey_desired();
}

void Step::obey_desired() {
  for (const auto& [segment, action] : state_.desired.entries())
    if (auto* attempt = state_.attempts.find(segment)) obey(*attempt);
}

// What the controller wants of it, if it is not so already.
void Step::obey(Attempt& attempt) {
  const auto action = state_.desired.of(attempt.origin.segment);
  if (action == DesiredAction::run) {
    if (std::exchange(attempt.delivery.forgotten, false))
      mark_changed(state_.plan, attempt, Urgency::state);
    return;
  }
  if (action == DesiredAction::forget) {
    attempt.delivery.forgotten = true;
    attempt.delivery.end_acked = attempt.delivery.end_acked || attempt.ended();
    attempt.delivery.lost_acked = attempt.delivery.lost_acked || attempt.lost();
    return;
  }
  if (attempt.cancel_asked || attempt.ended() || attempt.file_gone) return;
  if (attempt.cancel_tried_at && moment_.now - *attempt.cancel_tried_at < kCancelRetryAfter) return;
  attempt.cancel_tried_at = moment_.now;
  out_.push_back(WriteCancel{attempt.origin.segment});
}

void Step::on(const CancelRequested& event) {
  const auto* attempt = state_.attempts.find(event.segment);
  if (!attempt || attempt->ended() || attempt->cancel_asked || attempt->file_gone) return;
  out_.push_back(WriteCancel{event.segment});
}

void Step::on(const CancelWritten& event) {
  auto* attempt = state_.attempts.find(event.segment);
  if (!attempt || !event.ok) return;
  attempt->cancel_asked = true;
  judge_again(state_, *attempt, moment_);
  state_.attempts.touch(*attempt);
  out_.push_back(ReadNow{event.segment});
}

void Step::on(const Tick&) {
  if (state_.stopping) return;
  if (state_.settings.has_controller) {
    dial_if_due(state_.uplink, turn());
    check_link_deadlines(state_.uplink, turn());
    settle_link();
  }
  if (moment_.now >= state_.next_review) {
    state_.next_review = moment_.now + kReviewEvery;
    review();
  }
  send_reports();
}

// Time alone changes some things: stalls, retirement, cancels that did not take.
void Step::review() {
  std::vector<SegmentId> vanished;
  for (auto& [segment, attempt] : state_.attempts.all()) {
    const auto before = attempt.delivery.version;
    const bool given_up_before = attempt.given_up;
    if (!attempt.over() || !attempt.given_up) judge_again(state_, attempt, moment_);
    if (attempt.delivery.version != before || attempt.given_up != given_up_before)
      state_.attempts.touch(attempt);
    obey(attempt);
    if (attempt.file_gone && may_unlink(attempt, state_.settings, state_.uplink, moment_.now))
      vanished.push_back(segment);
    else
      retire(attempt);
  }
  for (const auto& segment : vanished) {
    state_.attempts.remove(segment);
    forget(segment);
  }
}

void Step::retire(Attempt& attempt) {
  if (attempt.file_gone) return;
  if (!may_unlink(attempt, state_.settings, state_.uplink, moment_.now)) return;
  auto& tried = attempt.unlink_tried_at;
  if (tried && moment_.now - *tried < kUnlinkRetryAfter) return;
  tried = moment_.now;
  out_.push_back(Unlink{attempt.origin.segment});
}

void Step::send_reports() {
  while (auto planned = plan_batch(state_.plan, state_.attempts, state_.uplink, moment_))
    send_batch(state_.uplink, std::move(planned->batch), std::move(planned->sent), turn());
}

void Step::on(const ShutdownRequested&) {
  state_.stopping = true;
  const auto link = state_.uplink.state;
  if (link == LinkState::greeting || link == LinkState::synced) {
    out_.push_back(CloseLink{});
    state_.uplink.state = LinkState::disconnected;
    state_.uplink.in_flight.clear();
  }
  settle_link();
}

}  // namespace

Hello make_hello(const AgentSettings& settings) {
  Hello hello;
  hello.node = settings.node;
  hello.boot = settings.boot;
  hello.agent = settings.agent;
  hello.agent_version = settings.version;
  hello.stall_after_ms = milliseconds_of(settings.stall_after);
  hello.lost_after_ms = milliseconds_of(settings.lost_after);
  return hello;
}

Effects step(AgentState& state, const Event& event, const Moment& moment) {
  Step one(state, moment);
  std::visit([&one](const auto& what) { one.on(what); }, event);
  return one.take();
}

}  // namespace agent
}  // namespace plimsoll
