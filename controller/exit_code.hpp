// exit_code.hpp - how the controller's end reads as an exit status (docs: "Command line and exit
// codes").
#pragma once

#include "schemas/result.hpp"

namespace plimsoll {

// A daemon that could not start or go on. Disk trouble of the store is 74 whatever its kind.
[[nodiscard]] inline int exit_code_of(const Error& error) {
  const bool disk = error.code == ErrorCode::no_space || error.code == ErrorCode::io;
  return info(disk ? ErrorCode::store_io : error.code).exit_code;
}

}  // namespace plimsoll
