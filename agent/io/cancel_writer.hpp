// cancel_writer.hpp - the only two ways in which the agent changes anything of a mover's: one byte,
// and the end.
#pragma once

#include <sys/types.h>

#include <string>

#include "schemas/result.hpp"

namespace plimsoll {

// A file by name, and the inode that was read under that name.
struct SegmentFileRef {
  int directory_fd = -1;
  std::string name;
  ino_t inode = 0;
};

// Sets the cancel byte through a second descriptor opened just for this. conflict: the name is
// another file's now.
[[nodiscard]] Result<void> write_cancel(const SegmentFileRef& file);

// Unlinks it if nobody holds its lock and the name is still the same file's. busy: somebody holds
// the lock; conflict: another file; not_found: it was gone already.
[[nodiscard]] Result<void> unlink_segment(const SegmentFileRef& file);

}  // namespace plimsoll
