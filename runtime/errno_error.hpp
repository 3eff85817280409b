// errno_error.hpp - the one mapping from the system's error numbers to our Error.
#pragma once

#include <string>

#include "schemas/result.hpp"

namespace plimsoll {

// `operation` names verb and object ("open 'x'"); the text becomes "open 'x': permission denied
// (EACCES)". libuv's negative numbers are accepted too.
Error errno_error(std::string operation, int error_number);

// fail(errno_error(…)), for `return`.
[[nodiscard]] Failure errno_failure(std::string operation, int error_number);

}  // namespace plimsoll
