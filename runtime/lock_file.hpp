// lock_file.hpp - one working instance at a time: a lock that dies with the process, never with a
// file.
#pragma once

#include <string>

#include "runtime/unique_fd.hpp"
#include "schemas/result.hpp"

namespace plimsoll {

// Holds an OFD write lock on `path` as long as it lives. The file (0600) stays behind, by design:
// unlinking it would let two instances lock two files of the same name.
class LockFile {
 public:
  // Does not wait. address_in_use: held by another (its pid is in the text if it could be read; it
  // is information only). Otherwise what open or mkdir said: permission, not_found, no_space, …
  static Result<LockFile> take(const std::string& path);

 private:
  explicit LockFile(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace plimsoll
