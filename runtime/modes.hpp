// modes.hpp - refuses places where anybody could put something else in our name.
#pragma once

#include <string>

#include "schemas/result.hpp"

namespace plimsoll {

// `path` and each of its parents, as named and with symlinks resolved: none may be writable by
// others without the sticky bit. What does not exist yet is skipped. ErrorCode::config names the
// culprit.
Result<void> check_parents_safe(const std::string& path);

}  // namespace plimsoll
