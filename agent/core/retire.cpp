// retire.cpp - the one gate before an unlink.
#include "agent/core/retire.hpp"

namespace plimsoll {
inline namespace agent {

bool may_unlink(const Attempt& attempt, const AgentSettings& settings, const UplinkSession& link,
                TimePoint now) {
  if (attempt.lock_held || !attempt.over() || !attempt.judgement.over_at) return false;
  if (now < link.unlink_hold_until) return false;
  const auto age = now - *attempt.judgement.over_at;
  if (age >= settings.keep_unacknowledged) return true;
  const bool kept_long_enough = age >= settings.keep_finished;
  if (!settings.has_controller) return kept_long_enough;
  if (attempt.ended() && attempt.delivery.end_acked) return true;
  return attempt.lost() && attempt.delivery.lost_acked && kept_long_enough;
}

}  // namespace agent
}  // namespace plimsoll
