// rate_limit.hpp - at most so many per second and reason, and how many were left out. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "schemas/time.hpp"

namespace plimsoll {

class RateLimit {
 public:
  // `per_second` 0 = no limit. Reasons beyond kMaxReasons share one budget.
  explicit RateLimit(std::uint32_t per_second) : per_second_(per_second) {}

  struct Verdict {
    bool allowed = true;
    std::uint64_t suppressed = 0;  // of this reason since the last allowed one; 0 unless allowed
  };
  // `now` from any steady source, the same for all calls.
  Verdict ask(std::string_view reason, TimePoint now);

  static constexpr std::size_t kMaxReasons = 256;

 private:
  struct Window {
    TimePoint begun{};
    std::uint32_t used = 0;
    std::uint64_t suppressed = 0;
  };
  Window& window_of(std::string_view reason, TimePoint now);

  std::uint32_t per_second_;
  std::map<std::string, Window, std::less<>> windows_;
};

}  // namespace plimsoll
