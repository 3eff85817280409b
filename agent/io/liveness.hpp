// liveness.hpp - is somebody alive behind a segment? The lock says it, never a pid.
#pragma once

#include "schemas/result.hpp"

namespace plimsoll {

// True while any open file description holds a lock on the file. Works on a read-only descriptor.
// io on failure.
[[nodiscard]] Result<bool> is_lock_held(int fd);

// Takes the write lock of a file opened for writing, without waiting; false: somebody has it. Held
// until `fd` is closed.
[[nodiscard]] Result<bool> try_lock(int fd);

}  // namespace plimsoll
