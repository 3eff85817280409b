// rate.hpp - units per second, exponentially weighted over about 30 s. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "schemas/time.hpp"

namespace plimsoll {
inline namespace agent {

class Rate {
 public:
  // The count at a time. A count that did not grow, or a time that did not pass, changes nothing.
  void observe(std::int64_t completed, TimePoint at);

  // Units per second, or -1 until two different counts were seen. Fades while the count rests.
  [[nodiscard]] double value(TimePoint now) const;

 private:
  struct Point {
    std::int64_t completed = 0;
    TimePoint at{};
  };
  std::optional<Point> last_;
  double per_second_ = -1;
};

inline constexpr Duration kRateWindow = seconds(30);  // design.md, "The agent", numbers
inline constexpr Duration kRateRest =
    seconds(10);  // tools report in steps: rest this long is no fading

}  // namespace agent
}  // namespace plimsoll
