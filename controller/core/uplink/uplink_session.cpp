// uplink_session.cpp - see uplink_session.hpp.
#include "controller/core/uplink/uplink_session.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "controller/core/uplink/attempts.hpp"
#include "controller/core/uplink/desired.hpp"
#include "controller/core/uplink/take_batch.hpp"
#include "schemas/text.hpp"

namespace plimsoll {
namespace {

constexpr Duration kLeastLostAfter = seconds(2);
constexpr Duration kMostLostAfter = std::chrono::hours(24 * 7);
constexpr std::uint32_t kRetryRefusedMs = 30000;

std::uint64_t milliseconds_of(Duration duration) {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<milliseconds>(duration).count());
}

void forget_link(Turn& turn, ConnectionId connection) {
  const auto found = turn.state.links.find(connection);
  if (found == turn.state.links.end()) return;
  const auto contact = turn.state.contacts.find(found->second.node);
  turn.state.links.erase(found);
  if (contact == turn.state.contacts.end() || contact->second.connection != connection) return;
  contact->second.connection.reset();
  if (auto* node = turn.rows().edit_node(contact->first)) {
    node->last_heard = contact->second.heard_wall;
    touch_node(turn, contact->first, false);
  }
  const auto grace = turn.state.settings.retrieval_grace;
  if (grace > Duration(0))
    turn.state.timers.arm({TimerKind::grace, contact->first}, contact->second.heard + grace);
}

void drop_link(Turn& turn, ConnectionId connection) {
  turn.effects.push_back(CloseLink{connection});
  forget_link(turn, connection);
}

void refuse_link(Turn& turn, ConnectionId connection, Refuse refusal) {
  turn.note(NoteLevel::warn, "uplink: refused: " + refusal.text);
  send(turn, connection, std::move(refusal));
  drop_link(turn, connection);
}

void protocol_error(Turn& turn, ConnectionId connection, const std::string& what) {
  turn.note(NoteLevel::warn, "uplink: protocol error: " + what);
  drop_link(turn, connection);
}

// Nothing: this agent is welcome.
std::optional<Refuse> reason_to_refuse(Turn& turn, const Hello& hello) {
  if (hello.protocol_min > kUplinkProtocol || hello.protocol_max < kUplinkProtocol)
    return Refuse{RefuseCode::version,
                  "this controller speaks protocol " + std::to_string(kUplinkProtocol),
                  kRetryRefusedMs};
  if (hello.node.empty()) return Refuse{RefuseCode::node, "a node needs a name", kRetryRefusedMs};
  const ControllerSettings& settings = turn.state.settings;
  std::string& own = turn.state.own_node;
  if (own.empty()) own = settings.own_node.empty() ? hello.node : settings.own_node;
  if (!settings.any_node && hello.node != own)
    return Refuse{RefuseCode::node,
                  "node " + quoted(hello.node) + " is not mine (" + quoted(own) +
                      "); uplink.anyNode would allow it",
                  kRetryRefusedMs};
  const auto& nodes = turn.rows().nodes();
  if (nodes.count(hello.node) == 0 && nodes.size() >= settings.limits.nodes)
    return Refuse{RefuseCode::node, "no room for another node", kRetryRefusedMs};
  return std::nullopt;
}

void fence_older(Turn& turn, ConnectionId newer, const std::string& node) {
  std::vector<ConnectionId> older;
  for (const auto& [connection, link] : turn.state.links)
    if (connection != newer && link.node == node) older.push_back(connection);
  for (const auto connection : older) {
    send(turn, connection, Refuse{RefuseCode::fenced, "a newer session of this node began", 0});
    drop_link(turn, connection);
  }
}

// The node restarted: every mover of the old boot is gone.
void lose_old_boot(Turn& turn, const std::string& node, const BootId& boot) {
  const auto segments = turn.rows().attempts_on(node);
  for (const auto& segment : segments) {
    auto* attempt = turn.rows().edit_attempt(segment);
    if (attempt != nullptr && attempt->boot != boot)
      lose_attempt(turn, *attempt, LostCause::boot, "node " + node + " was restarted");
  }
}

std::uint64_t begin_session(Turn& turn, const Hello& hello) {
  NodeRecord node;
  if (const auto* known = turn.rows().node(hello.node)) node = *known;
  node.name = hello.node;
  node.boot = hello.boot;
  node.session += 1;
  node.agent_version = hello.agent_version;
  const Duration said = milliseconds(hello.lost_after_ms);
  if (said > Duration(0)) node.lost_after = std::clamp(said, kLeastLostAfter, kMostLostAfter);
  node.last_heard = turn.state.wall;
  const auto session = node.session;
  turn.rows().put(std::move(node));
  touch_node(turn, hello.node, true);
  lose_old_boot(turn, hello.node, hello.boot);
  return session;
}

void greet(Turn& turn, ConnectionId connection, const Hello& hello) {
  if (turn.state.links.at(connection).greeted)
    return protocol_error(turn, connection, "a second Hello");
  if (auto refusal = reason_to_refuse(turn, hello))
    return refuse_link(turn, connection, std::move(*refusal));
  fence_older(turn, connection, hello.node);
  const auto session = begin_session(turn, hello);
  Link& link = turn.state.links.at(connection);
  link.greeted = true;
  link.node = hello.node;
  link.session = session;
  after_commit(turn, connection);
}

void take(Turn& turn, ConnectionId connection, const Batch& batch) {
  const Link& link = turn.state.links.at(connection);
  if (!link.welcomed) return protocol_error(turn, connection, "a batch before Welcome");
  if (batch.session != link.session)
    return protocol_error(turn, connection, "a batch of another session");
  take_batch(turn, connection, batch);
}

bool is_quiet_for(const Link& link, TimePoint now, Duration length) {
  return now - link.last_sent >= length;
}

void tick_freshness(Turn& turn, const std::string& node, Contact& contact) {
  const auto fresh = freshness_of(turn.now - contact.heard);
  if (std::exchange(contact.shown, fresh) == fresh) return;
  Changed changed;
  const Model& rows = turn.state.committed.rows;
  for (const auto& segment : rows.attempts_on(node)) {
    const auto* upload = rows.upload(rows.attempt(segment)->upload_id);
    if (upload != nullptr && !upload->end) changed.uploads.push_back(upload->id);
  }
  if (!changed.uploads.empty()) turn.effects.push_back(std::move(changed));
}

}  // namespace

void send(Turn& turn, ConnectionId connection, UplinkMessage message) {
  const auto found = turn.state.links.find(connection);
  if (found == turn.state.links.end()) return;
  found->second.last_sent = turn.now;
  turn.effects.push_back(Send{connection, std::move(message)});
}

void open_link(Turn& turn, ConnectionId connection) {
  Link link;
  link.last_heard = turn.now;
  link.last_sent = turn.now;
  turn.state.links[connection] = std::move(link);
}

void close_link(Turn& turn, ConnectionId connection) {
  forget_link(turn, connection);
}

void receive(Turn& turn, const MessageReceived& event) {
  const auto found = turn.state.links.find(event.connection);
  if (found == turn.state.links.end()) return;
  Link& link = found->second;
  link.last_heard = turn.now;
  if (link.welcomed) {
    Contact& contact = turn.state.contacts[link.node];
    contact.heard = turn.now;
    contact.heard_wall = turn.state.wall;
  }
  if (const auto* hello = std::get_if<Hello>(&event.message))
    greet(turn, event.connection, *hello);
  else if (const auto* batch = std::get_if<Batch>(&event.message))
    take(turn, event.connection, *batch);
  else if (std::holds_alternative<Refuse>(event.message))
    drop_link(turn, event.connection);
  else if (!std::holds_alternative<Ping>(event.message))
    protocol_error(turn, event.connection, "a message only controllers send");
}

void welcome(Turn& turn, ConnectionId connection) {
  const auto found = turn.state.links.find(connection);
  if (found == turn.state.links.end()) return;
  Link& link = found->second;
  link.welcomed = true;
  Contact& contact = turn.state.contacts[link.node];
  contact.connection = connection;
  contact.heard = turn.now;
  contact.heard_wall = turn.state.wall;
  turn.state.timers.disarm({TimerKind::grace, link.node});
  Welcome message;
  message.session = link.session;
  message.report_every_ms =
      static_cast<std::uint32_t>(milliseconds_of(turn.state.settings.report_every));
  message.store = turn.state.store;
  message.controller_version = turn.state.settings.version;
  send(turn, connection, std::move(message));
  send_desired_set(turn, connection);
}

void send_ack(Turn& turn, ConnectionId connection, const Ack& ack) {
  const auto found = turn.state.links.find(connection);
  if (found != turn.state.links.end() && found->second.session == ack.session)
    send(turn, connection, ack);
}

void tick_links(Turn& turn) {
  const bool busy = is_busy(turn.state.queue, turn.now);
  std::vector<ConnectionId> gone;
  for (auto& [connection, link] : turn.state.links) {
    if (turn.now - link.last_heard >= kLinkGoneAfter) {
      gone.push_back(connection);
    } else if (link.greeted && is_quiet_for(link, turn.now, busy ? kBusyPingAfter : kPingAfter)) {
      send(turn, connection,
           Ping{link.session, milliseconds_of(turn.now.time_since_epoch()), busy});
    }
  }
  for (const auto connection : gone)
    drop_link(turn, connection);
  for (auto& [node, contact] : turn.state.contacts)
    tick_freshness(turn, node, contact);
}

std::optional<TimePoint> links_due(const ControllerState& state) {
  std::optional<TimePoint> next;
  const auto take_sooner = [&](TimePoint other) { next = std::min(next.value_or(other), other); };
  for (const auto& [connection, link] : state.links) {
    take_sooner(link.last_heard + kLinkGoneAfter);
    if (link.greeted)
      take_sooner(link.last_sent + (state.queue.failing ? kBusyPingAfter : kPingAfter));
  }
  for (const auto& [node, contact] : state.contacts) {
    if (contact.shown == Freshness::live) take_sooner(contact.heard + kLateAfter);
    if (contact.shown == Freshness::late) take_sooner(contact.heard + kUnreachableAfter);
  }
  return next;
}

}  // namespace plimsoll
