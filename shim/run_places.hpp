// run_places.hpp - where a mover finds the directory its segments go to.
#pragma once

#include <string>
#include <vector>

#include "schemas/result.hpp"

namespace plimsoll {

// Candidates for RUN, best first. PLIMSOLL_RUN_DIR, if set, is the only one; else /run/plimsoll,
// $XDG_RUNTIME_DIR/plimsoll, /run/user/UID/plimsoll. A set-user-ID program ignores the variables.
[[nodiscard]] std::vector<std::string> run_candidates();

// The first candidate's `segments` that this user may write to. If there is none: made (3770) in
// the first candidate that is this user's own; RUN itself is never made. Errors: not_found,
// permission, io.
[[nodiscard]] Result<std::string> find_segments_directory(const std::vector<std::string>& runs);

}  // namespace plimsoll
