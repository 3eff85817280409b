// uplink_server.cpp - accepting, decoding, sending.
#include "controller/io/uplink_server.hpp"

#include <algorithm>
#include <optional>

#include "runtime/loop.hpp"
#include "schemas/uplink_codec.hpp"

namespace plimsoll {
namespace {

// What is wrong with a message from an agent, if anything.
std::optional<UplinkRejection> fault_of(const UplinkMessage& message, bool greeted) {
  const bool hello = std::holds_alternative<Hello>(message);
  if (!greeted && !hello) return UplinkRejection::no_hello;
  if (greeted && hello) return UplinkRejection::second_hello;
  const bool ours =
      hello || std::holds_alternative<Batch>(message) || std::holds_alternative<Ping>(message);
  if (!ours) return UplinkRejection::wrong_side;
  return std::nullopt;
}

}  // namespace

std::string_view word(UplinkRejection rejection) {
  switch (rejection) {
    case UplinkRejection::peer:
      return "peer";
    case UplinkRejection::full:
      return "full";
    case UplinkRejection::bad_frame:
      return "bad_frame";
    case UplinkRejection::no_hello:
      return "no_hello";
    case UplinkRejection::second_hello:
      return "second_hello";
    case UplinkRejection::wrong_side:
      return "wrong_side";
    case UplinkRejection::idle:
      return "idle";
    case UplinkRejection::slow_reader:
      return "slow_reader";
  }
  return "unknown";
}

UplinkServer::UplinkServer(Loop& loop, UniqueFd listening, std::vector<uid_t> agent_uids,
                           UplinkCallbacks callbacks)
    : loop_(loop), agent_uids_(std::move(agent_uids)), callbacks_(std::move(callbacks)) {
  listener_ =
      UnixListener(loop_, std::move(listening), [this](UnixStream stream, PeerCredentials peer) {
        accept(std::move(stream), std::move(peer));
      });
}

void UplinkServer::accept(UnixStream stream, PeerCredentials peer) {
  const bool known = peer.known() && std::find(agent_uids_.begin(), agent_uids_.end(), peer.uid) !=
                                         agent_uids_.end();
  if (!known) {
    // Said once, so that an agent of a wrong user can tell its operator; what does not fit is
    // dropped.
    const Refuse refuse{RefuseCode::peer, "this user is not in uplink.agents", 30'000};
    (void)stream.write(frame(encode_uplink(refuse)));
    return count(UplinkRejection::peer, peer);
  }
  if (connections_.size() >= kMaxUplinkConnections) return count(UplinkRejection::full, peer);
  const auto id = ConnectionId(++last_id_);
  auto& connection = connections_[id];
  connection.stream = std::move(stream);
  connection.peer = std::move(peer);
  connection.stream.set_max_queued_bytes(kMaxUplinkQueuedBytes);
  callbacks_.on_opened(id);
  connection.stream.start([this, id](std::string_view bytes) { take_bytes(id, bytes); },
                          [this, id](const Error&) { drop(id); });
}

void UplinkServer::take_bytes(ConnectionId id, std::string_view bytes) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  found->second.decoder.push(bytes);
  while (true) {
    const auto table = found->second.decoder.next();
    if (!table) return reject(id, UplinkRejection::bad_frame);
    if (!*table) return;
    if (!take_table(id, **table)) return;  // the connection is gone
  }
}

// False: the connection was closed.
bool UplinkServer::take_table(ConnectionId id, const std::string& table) {
  auto& connection = connections_.at(id);
  auto message = decode_uplink(bytes_of_text(table));
  const auto fault = message ? fault_of(*message, connection.greeted) : UplinkRejection::bad_frame;
  if (fault) {
    reject(id, *fault);
    return false;
  }
  connection.greeted = true;
  connection.heard = true;
  callbacks_.on_message(id, std::move(*message));
  return connections_.contains(id);
}

void UplinkServer::send(ConnectionId id, const UplinkMessage& message) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  const auto sent = found->second.stream.write(frame(encode_uplink(message)));
  if (sent) return;
  if (sent.error().code == ErrorCode::limit) return reject(id, UplinkRejection::slow_reader);
  drop(id);
}

void UplinkServer::close(ConnectionId connection) {
  connections_.erase(connection);
}

void UplinkServer::close_idle(TimePoint now) {
  std::vector<ConnectionId> idle;
  for (auto& [id, connection] : connections_) {
    if (std::exchange(connection.heard, false)) connection.last_heard = now;
    if (now - connection.last_heard >= kUplinkIdleLimit) idle.push_back(id);
  }
  for (const auto id : idle)
    reject(id, UplinkRejection::idle);
}

std::uint64_t UplinkServer::rejected(UplinkRejection rejection) const {
  return rejected_.at(static_cast<std::size_t>(rejection));
}

void UplinkServer::drop(ConnectionId id) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  connections_.erase(found);
  callbacks_.on_closed(id);
}

void UplinkServer::reject(ConnectionId id, UplinkRejection rejection) {
  count(rejection, connections_.at(id).peer);
  drop(id);
}

void UplinkServer::count(UplinkRejection rejection, const PeerCredentials& peer) {
  ++rejected_.at(static_cast<std::size_t>(rejection));
  callbacks_.on_rejected(rejection, peer);
}

}  // namespace plimsoll
