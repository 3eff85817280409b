// segment_policy.hpp - who may write in a directory, and what its segments may speak for. Pure, but
// for looking up a user's groups.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "schemas/result.hpp"
#include "schemas/upload_progress.hpp"

namespace plimsoll {

// Empty uids and groups: whoever can write there.
struct SegmentPolicy {
  std::vector<uid_t> uids;
  std::vector<gid_t> groups;
  std::vector<std::string> backups = {"*"};  // globs: * any bytes, ? one byte
  std::vector<std::string> items = {"*"};
};

[[nodiscard]] bool glob_fits(std::string_view glob, std::string_view text);

// forbidden: names the rule.
[[nodiscard]] Result<void> check_owner(const SegmentPolicy& policy, uid_t owner);
[[nodiscard]] Result<void> check_speaks_for(const SegmentPolicy& policy, const Identity& identity);

// "name" or decimal gid. not_found if there is no such group.
[[nodiscard]] Result<gid_t> group_number(const std::string& group);

}  // namespace plimsoll
