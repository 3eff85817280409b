// wire.cpp - delivery of frames in pieces and late.
#include "tests/simulation/wire.hpp"

#include <algorithm>

namespace plimsoll::sim {

void Lane::send(const UplinkMessage& message, TimePoint now, Rng& rng) {
  std::string bytes = frame(encode_uplink(message));
  // Mostly quick; sometimes a second late, as on a machine that is busy.
  const auto delay = milliseconds(rng.one_in(20) ? rng.below(1500) : rng.below(20));
  last_due_ = std::max(last_due_, now + delay);
  const std::size_t cut = bytes.size() > 1 ? 1 + rng.below(bytes.size() - 1) : 0;
  if (cut > 0 && rng.one_in(4)) {
    pieces_.push_back({last_due_, bytes.substr(0, cut)});
    bytes.erase(0, cut);
  }
  pieces_.push_back({last_due_, std::move(bytes)});
}

std::vector<UplinkMessage> Lane::arrived(TimePoint now) {
  std::vector<UplinkMessage> messages;
  while (!pieces_.empty() && pieces_.front().due <= now) {
    decoder_.push(pieces_.front().bytes);
    pieces_.pop_front();
    for (;;) {
      const auto table = decoder_.next();
      PLIMSOLL_CHECK(table.has_value());
      if (!*table) break;
      auto message = decode_uplink(bytes_of_text(**table));
      PLIMSOLL_CHECK(message.has_value());
      messages.push_back(std::move(*message));
    }
  }
  return messages;
}

}  // namespace plimsoll::sim
