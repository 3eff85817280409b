// uplink_session.hpp - the agent's side of the uplink: dial, greet, keep alive, give up, try again.
// Pure.
//
//   disconnected ──dial due──► dialing ──opened──► greeting ──Welcome──► synced ──► batches, acks,
//   desired
//        ▲                        │ failed            │ Refuse, silence     │ closed, silence, no
//        ack in 5 s, └────────────────────────┴───────────────────┴─────────────────────┘ protocol
//        error
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/agent_events.hpp"
#include "agent/core/backoff.hpp"
#include "schemas/ids.hpp"
#include "schemas/uplink_messages.hpp"

namespace plimsoll {
inline namespace agent {

enum class LinkState : std::uint8_t { disconnected, dialing, greeting, synced };
enum class LinkEvent : std::uint8_t {
  dial_due,
  opened,
  failed,
  closed,
  broken_off,  // by us: silence, no ack, protocol error
  welcome,
  refuse,
  ack,
  desired,
  ping,
  wrong_message,  // a Hello or a Batch: nothing a controller sends
};

struct LinkRow {
  LinkState from;
  LinkEvent event;
  LinkState to;
};

// Every pair that is not here is refused: from the other side a protocol error, from our own side
// ignored.
inline constexpr std::array kLinkTable = {
    LinkRow{LinkState::disconnected, LinkEvent::dial_due, LinkState::dialing},
    LinkRow{LinkState::dialing, LinkEvent::opened, LinkState::greeting},
    LinkRow{LinkState::dialing, LinkEvent::failed, LinkState::disconnected},
    LinkRow{LinkState::dialing, LinkEvent::closed, LinkState::disconnected},
    LinkRow{LinkState::greeting, LinkEvent::welcome, LinkState::synced},
    LinkRow{LinkState::greeting, LinkEvent::refuse, LinkState::disconnected},
    LinkRow{LinkState::greeting, LinkEvent::ping,
            LinkState::greeting},  // busy before the session is committed
    LinkRow{LinkState::greeting, LinkEvent::closed, LinkState::disconnected},
    LinkRow{LinkState::greeting, LinkEvent::broken_off, LinkState::disconnected},
    LinkRow{LinkState::synced, LinkEvent::ack, LinkState::synced},
    LinkRow{LinkState::synced, LinkEvent::desired, LinkState::synced},
    LinkRow{LinkState::synced, LinkEvent::ping, LinkState::synced},
    LinkRow{LinkState::synced, LinkEvent::refuse, LinkState::disconnected},
    LinkRow{LinkState::synced, LinkEvent::closed, LinkState::disconnected},
    LinkRow{LinkState::synced, LinkEvent::broken_off, LinkState::disconnected},
};

[[nodiscard]] std::optional<LinkState> next_link_state(LinkState from, LinkEvent event);
[[nodiscard]] LinkEvent link_event_of(const UplinkMessage& message);

inline constexpr Duration kAckTimeout = seconds(5);
inline constexpr Duration kPingAfter = seconds(2);  // of our own silence
inline constexpr Duration kGoneAfter = seconds(6);  // of the other side's
inline constexpr Duration kVersionRetry = seconds(30);
inline constexpr Duration kLongestRetryAfter =
    std::chrono::minutes(1);  // a controller may ask for no more
inline constexpr Duration kOtherStoreHold = std::chrono::minutes(10);

// What one report of a batch said, kept until the batch is acknowledged.
struct SentReport {
  SegmentId segment;
  std::uint64_t version = 0;
  AttemptState state = AttemptState::unknown;
  std::uint64_t events_end = 0;  // number after the last event sent
};

struct SentBatch {
  std::uint64_t seq = 0;
  TimePoint at{};
  std::vector<SentReport> reports;
};

struct UplinkSession {
  LinkState state = LinkState::disconnected;
  TimePoint retry_at{};
  std::uint32_t failures = 0;  // in a row
  std::uint64_t session = 0;
  Duration report_every = seconds(1);
  std::optional<StoreId> store;  // the last one met
  TimePoint unlink_hold_until{};
  TimePoint heard_at{};
  TimePoint sent_at{};
  TimePoint busy_at{};
  std::uint64_t next_seq = 1;
  std::deque<SentBatch> in_flight;
  std::string told;  // the last reason for not being connected that was logged: once is enough
};

[[nodiscard]] inline bool is_synced(const UplinkSession& link) {
  return link.state == LinkState::synced;
}
[[nodiscard]] inline bool may_send_batch(const UplinkSession& link) {
  return is_synced(link) && link.in_flight.size() < kMaxBatchesInFlight;
}

// Everything that a change of the link needs besides itself.
struct LinkTurn {
  TimePoint now{};
  Random& random;
  Effects& out;
};

void dial_if_due(UplinkSession& link, LinkTurn turn);
void dial_at_once(UplinkSession& link,
                  LinkTurn turn);  // forgets the backoff; no-op unless disconnected
void link_opened(UplinkSession& link, const Hello& hello, LinkTurn turn);
void link_lost(UplinkSession& link, std::string_view why, LinkTurn turn);  // failed or closed
// Closes from our side, with backoff.
void break_off(UplinkSession& link, std::string_view why, LinkTurn turn);

// False: the message does not belong here (the link was broken off), or belongs to another session.
[[nodiscard]] bool accept_message(UplinkSession& link, const UplinkMessage& message, LinkTurn turn);

enum class StoreMet : std::uint8_t { refused, first, same, other };
// After accept_message.
[[nodiscard]] StoreMet welcomed(UplinkSession& link, const Welcome& welcome, LinkTurn turn);
void refused(UplinkSession& link, const Refuse& refuse, LinkTurn turn);
void pinged(UplinkSession& link, const Ping& ping, LinkTurn turn);
// The reports that are acknowledged by it, oldest first. An ack of what was never sent breaks the
// link off.
[[nodiscard]] std::vector<SentReport> acknowledged(UplinkSession& link, const Ack& ack,
                                                   LinkTurn turn);

// `batch` gets session and seq; it goes out and waits for its ack. Precondition: may_send_batch.
void send_batch(UplinkSession& link, Batch batch, std::vector<SentReport> reports, LinkTurn turn);

// Silence, missing acks, our own ping.
void check_link_deadlines(UplinkSession& link, LinkTurn turn);

}  // namespace agent
}  // namespace plimsoll
