// run_total.hpp - `--total BYTES|PATH`: how much there is to do, where the tool cannot say it.
#pragma once

#include <cstdint>
#include <string>

#include "schemas/result.hpp"
#include "schemas/time.hpp"

namespace plimsoll::cli {

// Bytes as a number, or the size of a file, a block device, or of all regular files below a
// directory. A directory is counted for at most that long; 0 (not known) if it takes longer.
// ErrorCode::usage: neither a number nor a path that can be read.
[[nodiscard]] Result<std::int64_t> read_total(const std::string& text, Duration at_most);

}  // namespace plimsoll::cli
