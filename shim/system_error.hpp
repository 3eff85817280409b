// system_error.hpp - an errno as an Error, with the code that says what the mover's owner can do.
#pragma once

#include <string>

#include "schemas/result.hpp"

namespace plimsoll {

// `operation`: what was tried on what, e.g. "open directory '/run/plimsoll/segments'".
[[nodiscard]] Error system_error(std::string operation, int error_number);

}  // namespace plimsoll
