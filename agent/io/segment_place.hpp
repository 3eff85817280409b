// segment_place.hpp - makes and checks the directories that movers write their segments to.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "runtime/unique_fd.hpp"
#include "schemas/result.hpp"

namespace plimsoll {

inline constexpr mode_t kSegmentsMode = 03770;  // setgid gives the group, sticky keeps movers apart

// Makes `path` (its last component only) if it is missing: owned by us, `group` if given and
// allowed to us, else our own primary group, mode kSegmentsMode. What is right already is left
// alone; what is ours and wrong is set right. cannot_create, permission; config: others could write
// there without the sticky bit.
[[nodiscard]] Result<UniqueFd> make_segments_directory(const std::string& path,
                                                       std::optional<gid_t> group);

[[nodiscard]] bool is_tmpfs(int directory_fd);

}  // namespace plimsoll
