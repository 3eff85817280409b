// uplink_session.cpp - the table applied, and the deadlines of a connection.
#include "agent/core/uplink_session.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "schemas/result.hpp"
#include "schemas/text.hpp"

namespace plimsoll {
inline namespace agent {
namespace {

LinkEvent event_of(const Hello&) {
  return LinkEvent::wrong_message;
}
LinkEvent event_of(const Batch&) {
  return LinkEvent::wrong_message;
}
LinkEvent event_of(const Welcome&) {
  return LinkEvent::welcome;
}
LinkEvent event_of(const Refuse&) {
  return LinkEvent::refuse;
}
LinkEvent event_of(const Ack&) {
  return LinkEvent::ack;
}
LinkEvent event_of(const Desired&) {
  return LinkEvent::desired;
}
LinkEvent event_of(const Ping&) {
  return LinkEvent::ping;
}

// A frame of another session changes nothing. Before the session is known only a Ping can belong
// here.
bool is_foreign(const UplinkSession& link, const UplinkMessage& message) {
  if (const auto* ping = std::get_if<Ping>(&message))
    return is_synced(link) && ping->session != link.session;
  const auto* ack = std::get_if<Ack>(&message);
  const auto* desired = std::get_if<Desired>(&message);
  if (!ack && !desired) return false;
  const auto session = ack ? ack->session : desired->session;
  return is_synced(link) ? session != link.session : session != 0;
}

void to_disconnected(UplinkSession& link, TimePoint retry_at) {
  link.state = LinkState::disconnected;
  link.retry_at = retry_at;
  link.in_flight.clear();
}

void note_trouble(UplinkSession& link, std::string_view why, LinkTurn turn) {
  if (link.told == why) return;  // said once, until it changes or a session comes
  link.told = why;
  turn.out.push_back(
      Note{NoteLevel::warning, "no uplink to the controller", {{"cause", std::string(why)}}});
}

void retry_after(UplinkSession& link, LinkTurn turn, Duration at_least = Duration::zero()) {
  const auto delay = std::max(backoff_delay(link.failures, turn.random), at_least);
  ++link.failures;
  to_disconnected(link, turn.now + delay);
}

std::string_view meaning(RefuseCode code) {
  switch (code) {
    case RefuseCode::version:
      return "no protocol version in common";
    case RefuseCode::node:
      return "the controller is not for this node";
    case RefuseCode::peer:
      return "this user may not be an agent (uplink.agents)";
    case RefuseCode::fenced:
      return "another agent of this node took over";
    case RefuseCode::stopping:
      return "the controller is stopping";
    default:
      return "refused";
  }
}

}  // namespace

std::optional<LinkState> next_link_state(LinkState from, LinkEvent event) {
  for (const auto& row : kLinkTable)
    if (row.from == from && row.event == event) return row.to;
  return std::nullopt;
}

LinkEvent link_event_of(const UplinkMessage& message) {
  return std::visit([](const auto& one) { return event_of(one); }, message);
}

void dial_if_due(UplinkSession& link, LinkTurn turn) {
  const auto next = next_link_state(link.state, LinkEvent::dial_due);
  if (!next || turn.now < link.retry_at) return;
  link.state = *next;
  turn.out.push_back(Dial{});
}

void dial_at_once(UplinkSession& link, LinkTurn turn) {
  if (link.state != LinkState::disconnected) return;
  link.failures = 0;
  link.retry_at = turn.now;
  dial_if_due(link, turn);
}

void link_opened(UplinkSession& link, const Hello& hello, LinkTurn turn) {
  const auto next = next_link_state(link.state, LinkEvent::opened);
  if (!next) return;
  link.state = *next;
  link.heard_at = link.sent_at = link.busy_at = turn.now;
  turn.out.push_back(Send{hello});
}

void link_lost(UplinkSession& link, std::string_view why, LinkTurn turn) {
  if (!next_link_state(link.state, LinkEvent::closed)) return;
  note_trouble(link, why, turn);
  retry_after(link, turn);
}

void break_off(UplinkSession& link, std::string_view why, LinkTurn turn) {
  if (!next_link_state(link.state, LinkEvent::broken_off)) return;
  note_trouble(link, why, turn);
  turn.out.push_back(CloseLink{});
  retry_after(link, turn);
}

bool accept_message(UplinkSession& link, const UplinkMessage& message, LinkTurn turn) {
  if (link.state == LinkState::disconnected || link.state == LinkState::dialing) return false;
  if (is_foreign(link, message)) return false;
  if (!next_link_state(link.state, link_event_of(message))) {
    break_off(link, "protocol error: a message that does not belong here", turn);
    return false;
  }
  link.heard_at = turn.now;
  return true;
}

StoreMet welcomed(UplinkSession& link, const Welcome& welcome, LinkTurn turn) {
  if (welcome.protocol != kUplinkProtocol || welcome.session == 0) {
    break_off(link, "protocol error: a Welcome that cannot be", turn);
    return StoreMet::refused;
  }
  link.state = LinkState::synced;
  link.session = welcome.session;
  link.failures = 0;
  link.next_seq = 1;
  link.in_flight.clear();
  link.busy_at = turn.now;
  link.report_every =
      std::clamp<Duration>(milliseconds(welcome.report_every_ms), milliseconds(50), seconds(60));
  link.told.clear();
  turn.out.push_back(Note{NoteLevel::info,
                          "uplink session begun",
                          {{"session", std::to_string(welcome.session)},
                           {"controller_version", clean_utf8(welcome.controller_version, 64)}}});
  const auto before = std::exchange(link.store, welcome.store);
  if (!before) return StoreMet::first;
  if (*before == welcome.store) return StoreMet::same;
  link.unlink_hold_until = turn.now + kOtherStoreHold;
  return StoreMet::other;
}

void refused(UplinkSession& link, const Refuse& refuse, LinkTurn turn) {
  auto why = std::string(meaning(refuse.code));
  if (!refuse.text.empty()) why += ": " + clean_utf8(refuse.text, 160);
  note_trouble(link, why, turn);
  turn.out.push_back(CloseLink{});
  const bool settled = refuse.code == RefuseCode::version || refuse.code == RefuseCode::node ||
                       refuse.code == RefuseCode::peer;  // a person must act first
  const auto asked = std::min<Duration>(milliseconds(refuse.retry_after_ms), kLongestRetryAfter);
  retry_after(link, turn, settled ? kVersionRetry : asked);
}

void pinged(UplinkSession& link, const Ping& ping, LinkTurn turn) {
  if (ping.busy) link.busy_at = turn.now;
}

std::vector<SentReport> acknowledged(UplinkSession& link, const Ack& ack, LinkTurn turn) {
  std::vector<SentReport> reports;
  if (ack.seq >= link.next_seq) {
    break_off(link, "protocol error: an acknowledgement of what was never sent", turn);
    return reports;
  }
  while (!link.in_flight.empty() && link.in_flight.front().seq <= ack.seq) {
    auto& sent = link.in_flight.front().reports;
    std::move(sent.begin(), sent.end(), std::back_inserter(reports));
    link.in_flight.pop_front();
  }
  return reports;
}

void send_batch(UplinkSession& link, Batch batch, std::vector<SentReport> reports, LinkTurn turn) {
  PLIMSOLL_CHECK(may_send_batch(link));
  batch.session = link.session;
  batch.seq = link.next_seq++;
  link.sent_at = turn.now;
  link.in_flight.push_back(SentBatch{batch.seq, turn.now, std::move(reports)});
  turn.out.push_back(Send{std::move(batch)});
}

void check_link_deadlines(UplinkSession& link, LinkTurn turn) {
  if (link.state != LinkState::greeting && !is_synced(link)) return;
  if (turn.now - link.heard_at >= kGoneAfter) {
    break_off(link, "the controller is silent", turn);
    return;
  }
  if (!link.in_flight.empty() &&
      turn.now - std::max(link.in_flight.front().at, link.busy_at) >= kAckTimeout) {
    break_off(link, "the controller does not acknowledge", turn);
    return;
  }
  if (!is_synced(link) || turn.now - link.sent_at < kPingAfter) return;
  link.sent_at = turn.now;
  const auto at = std::chrono::duration_cast<milliseconds>(turn.now.time_since_epoch()).count();
  turn.out.push_back(Send{Ping{link.session, static_cast<std::uint64_t>(at), false}});
}

}  // namespace agent
}  // namespace plimsoll
