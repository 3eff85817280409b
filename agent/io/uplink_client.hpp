// uplink_client.hpp - the agent's end of the uplink socket: bytes to frames to messages, and back.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "agent/core/agent_events.hpp"
#include "runtime/loop.hpp"
#include "runtime/socket/unix_stream.hpp"
#include "schemas/frame.hpp"
#include "schemas/uplink_messages.hpp"

namespace plimsoll {

// Decides nothing: what happens becomes an Event for `sink`, which must not destroy the client.
class UplinkClient {
 public:
  UplinkClient(Loop& loop, std::string path, std::function<void(Event)> sink);

  void dial();                              // LinkOpened or LinkFailed, at once
  void send(const UplinkMessage& message);  // LinkClosed if it cannot even be queued
  void close();                             // no event

 private:
  void on_bytes(std::string_view bytes);
  void lose(const Error& error);

  Loop& loop_;
  std::string path_;
  std::function<void(Event)> sink_;
  std::optional<UnixStream> stream_;
  FrameDecoder decoder_;
};

}  // namespace plimsoll
