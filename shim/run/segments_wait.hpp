// segments_wait.hpp - a RUN that exists without its `segments` is an agent that is just starting:
// wait for it.
#pragma once

#include <string>

#include "schemas/time.hpp"

namespace plimsoll {

// The directory for segments. `run_dir` is RUN if the person named one, "" = the usual places.
// Waits at most that long, and only where a RUN exists and has no `segments` yet. Without success:
// RUN/segments of the RUN that was named, or "" (the library looks again by itself).
[[nodiscard]] std::string wait_for_segments(const std::string& run_dir, milliseconds at_most);

}  // namespace plimsoll
