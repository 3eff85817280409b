// http_connections.cpp - stages of a connection and their deadlines.
#include "runtime/http/http_connections.hpp"

#include <algorithm>
#include <utility>

namespace plimsoll {

bool HttpConnections::add(Key key, int fd, PeerCredentials peer, milliseconds now) {
  const bool bounded = peer.known();
  const bool room = !bounded || connections_of(peer.uid) < limits_.max_connections_per_uid;
  const Stage stage = room ? Stage::fresh : Stage::condemned;
  connections_.insert_or_assign(key, Connection{fd, std::move(peer), stage, now});
  return room;
}

void HttpConnections::remove(Key key) {
  connections_.erase(key);
}

// A new connection keeps its first deadline, whatever it has sent so far.
void HttpConnections::request_begun(Key key, milliseconds now) {
  auto& connection = connections_.at(key);
  if (connection.stage != Stage::idle) return;
  connection.stage = Stage::header;
  connection.since = now;
}

void HttpConnections::header_complete(Key key, milliseconds now) {
  auto& connection = connections_.at(key);
  if (connection.stage == Stage::condemned) return;
  connection.stage = Stage::body;
  connection.since = now;
}

void HttpConnections::busy(Key key) {
  auto& connection = connections_.at(key);
  if (connection.stage != Stage::condemned) connection.stage = Stage::busy;
}

void HttpConnections::idle(Key key, milliseconds now) {
  auto& connection = connections_.at(key);
  if (connection.stage == Stage::condemned) return;
  connection.stage = Stage::idle;
  connection.since = now;
}

const PeerCredentials& HttpConnections::peer(Key key) const {
  return connections_.at(key).peer;
}

std::vector<HttpConnections::Overdue> HttpConnections::take_overdue(milliseconds now) {
  std::vector<Overdue> overdue;
  for (auto& [key, connection] : connections_) {
    const auto limit = deadline_of(connection.stage);
    if (limit == milliseconds(0) || now - connection.since < limit) continue;
    overdue.push_back({connection.fd, connection.stage != Stage::idle});
    connection.stage = Stage::condemned;
  }
  return overdue;
}

// 0 = none.
milliseconds HttpConnections::deadline_of(Stage stage) const {
  switch (stage) {
    case Stage::fresh:
    case Stage::header:
      return limits_.header_deadline;
    case Stage::body:
      return limits_.request_deadline;
    case Stage::idle:
      return limits_.idle_deadline;
    case Stage::busy:
    case Stage::condemned:
      return milliseconds(0);
  }
  return milliseconds(0);
}

std::size_t HttpConnections::connections_of(uid_t uid) const {
  return static_cast<std::size_t>(
      std::count_if(connections_.begin(), connections_.end(), [uid](const auto& entry) {
        return entry.second.peer.uid == uid && entry.second.stage != Stage::condemned;
      }));
}

}  // namespace plimsoll
