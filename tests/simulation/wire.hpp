// wire.hpp - a simulated uplink connection: real frames as bytes, late, cut into pieces, and cut
// off.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "schemas/frame.hpp"
#include "schemas/time.hpp"
#include "schemas/uplink_codec.hpp"
#include "tests/simulation/rng.hpp"

namespace plimsoll::sim {

// One direction of a connection. Bytes arrive in order, each piece when its time has come.
class Lane {
 public:
  void send(const UplinkMessage& message, TimePoint now, Rng& rng);

  // The messages whose bytes have arrived by `now`. A frame that does not decode would be a bug of
  // ours: it aborts.
  [[nodiscard]] std::vector<UplinkMessage> arrived(TimePoint now);
  [[nodiscard]] bool empty() const { return pieces_.empty(); }

 private:
  struct Piece {
    TimePoint due;
    std::string bytes;
  };
  std::deque<Piece> pieces_;
  TimePoint last_due_{};
  FrameDecoder decoder_;
};

struct Wire {
  std::uint64_t id = 0;  // the controller's ConnectionId
  std::size_t node = 0;
  Lane up;                     // agent → controller
  Lane down;                   // controller → agent
  bool agent_end = true;       // open
  bool controller_end = true;  // open
  TimePoint close_seen_at{};   // when the controller learns that the agent's end is closed
};

}  // namespace plimsoll::sim
