// rate_limit.cpp - fixed windows of one second per reason.
#include "runtime/rate_limit.hpp"

#include <utility>

namespace plimsoll {

RateLimit::Verdict RateLimit::ask(std::string_view reason, TimePoint now) {
  if (per_second_ == 0) return {};
  Window& window = window_of(reason, now);
  if (now - window.begun >= std::chrono::seconds(1)) {
    window.begun = now;
    window.used = 0;
  }
  if (window.used >= per_second_) {
    ++window.suppressed;
    return {.allowed = false, .suppressed = 0};
  }
  ++window.used;
  return {.allowed = true, .suppressed = std::exchange(window.suppressed, 0)};
}

RateLimit::Window& RateLimit::window_of(std::string_view reason, TimePoint now) {
  if (const auto known = windows_.find(reason); known != windows_.end()) return known->second;
  const auto key = windows_.size() < kMaxReasons ? std::string(reason) : std::string();
  return windows_.try_emplace(key, Window{.begun = now, .used = 0, .suppressed = 0}).first->second;
}

}  // namespace plimsoll
