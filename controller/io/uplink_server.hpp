// uplink_server.hpp - the controller's end of the uplink: accepts agents, decodes their frames,
// sends ours. Decides nothing about sessions or reports; it only makes sure that what arrives is
// well formed, comes from somebody who may be an agent, begins with a Hello, and does not take more
// memory than its share. Loop thread only.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "controller/core/events.hpp"
#include "runtime/socket/unix_stream.hpp"
#include "schemas/frame.hpp"
#include "schemas/time.hpp"
#include "schemas/uplink_messages.hpp"

namespace plimsoll {

enum class UplinkRejection : std::uint8_t {
  peer,       // its uid is not in uplink.agents
  full,       // kMaxUplinkConnections are open
  bad_frame,  // length, CRC or contents do not verify
  no_hello,   // the first message was no Hello
  second_hello,
  wrong_side,   // a message only a controller sends
  idle,         // nothing whole for kUplinkIdleLimit
  slow_reader,  // more than kMaxUplinkQueuedBytes wait for it
};
inline constexpr std::size_t kUplinkRejections = 8;
[[nodiscard]] std::string_view word(UplinkRejection rejection);

inline constexpr Duration kUplinkIdleLimit = seconds(6);   // docs/design.md, "Uplink"
inline constexpr std::size_t kMaxUplinkConnections = 256;  // further ones are closed
inline constexpr std::size_t kMaxUplinkQueuedBytes = std::size_t{4} << 20U;  // to one agent

struct UplinkCallbacks {
  std::function<void(ConnectionId)> on_opened;
  // A Hello (first), Batch or Ping. Must only queue it: the connection may be gone when it is
  // handled.
  std::function<void(ConnectionId, UplinkMessage)> on_message;
  // Once per opened connection, unless close() was called.
  std::function<void(ConnectionId)> on_closed;
  // For the log.
  std::function<void(UplinkRejection, const PeerCredentials&)> on_rejected;
};

class UplinkServer {
 public:
  // Takes a listening socket. `agent_uids`: who may connect.
  UplinkServer(Loop& loop, UniqueFd listening, std::vector<uid_t> agent_uids,
               UplinkCallbacks callbacks);

  // Sends to a connection that may be gone (then nothing happens). One that does not read is
  // closed.
  void send(ConnectionId connection, const UplinkMessage& message);
  // What the kernel has not taken is dropped.
  void close(ConnectionId connection);
  // Closes who has been silent too long; call about once a second with the core's time.
  void close_idle(TimePoint now);
  void set_agent_uids(std::vector<uid_t> agent_uids) { agent_uids_ = std::move(agent_uids); }

  [[nodiscard]] std::size_t connections() const { return connections_.size(); }
  [[nodiscard]] std::uint64_t rejected(UplinkRejection rejection) const;

 private:
  struct Connection {
    UnixStream stream;
    PeerCredentials peer;
    FrameDecoder decoder;
    bool greeted = false;  // said Hello
    bool heard = true;     // something whole since the last close_idle()
    TimePoint last_heard{};
  };
  void accept(UnixStream stream, PeerCredentials peer);
  void take_bytes(ConnectionId id, std::string_view bytes);
  bool take_table(ConnectionId id, const std::string& table);
  void drop(ConnectionId id);
  void reject(ConnectionId id, UplinkRejection rejection);
  void count(UplinkRejection rejection, const PeerCredentials& peer);

  Loop& loop_;
  std::vector<uid_t> agent_uids_;
  UplinkCallbacks callbacks_;
  std::map<ConnectionId, Connection> connections_;
  std::uint64_t last_id_ = 0;
  std::array<std::uint64_t, kUplinkRejections> rejected_{};
  UnixListener listener_;  // last: it calls into everything above
};

}  // namespace plimsoll
