// uplink_session.hpp - the controller's end of the uplink: sessions, reports, acks.
// Order on a connection: Hello → (session committed) → Welcome, Desired → batches and acks.
// A newer session of the same node fences the older one: its frames change nothing.
#pragma once

#include <optional>

#include "controller/core/controller_state.hpp"
#include "controller/core/events.hpp"

namespace plimsoll {

inline constexpr Duration kPingAfter = seconds(2);      // of our own silence
inline constexpr Duration kBusyPingAfter = seconds(1);  // the same; agents wait 5 s for an ack
inline constexpr Duration kLinkGoneAfter = seconds(6);  // of theirs

void open_link(Turn& turn, ConnectionId connection);
void close_link(Turn& turn, ConnectionId connection);  // closed by the other side
void receive(Turn& turn, const MessageReceived& event);

// The session is committed.
void welcome(Turn& turn, ConnectionId connection);
void send_ack(Turn& turn, ConnectionId connection, const Ack& ack);

// Silence: pings of ours, links of theirs that are gone, nodes that are no longer fresh.
void tick_links(Turn& turn);

// When tick_links() has something to do, if nothing else happens.
[[nodiscard]] std::optional<TimePoint> links_due(const ControllerState& state);

void send(Turn& turn, ConnectionId connection, UplinkMessage message);

}  // namespace plimsoll
