// time_text.hpp - a wall time as people and programs read it. Pure: no locale, no time zone.
#pragma once

#include <string>

#include "schemas/time.hpp"

namespace plimsoll {

// RFC 3339, UTC, milliseconds: 2026-12-01T17:06:00.000Z. Times outside the years 0…9999 are clamped
// to them.
[[nodiscard]] std::string utc_text(WallTime time);

// For names: 20261201t170600z.
[[nodiscard]] std::string compact_utc_text(WallTime time);

// The largest unit that loses nothing, from whole seconds: 15m, 90s, 36h, 2d.
[[nodiscard]] std::string duration_text(Duration duration);

}  // namespace plimsoll
