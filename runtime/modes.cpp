// modes.cpp - walks up a path and looks at modes.
#include "runtime/modes.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <system_error>

#include "schemas/text.hpp"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;  // drags in std::quoted, hence plimsoll::quoted below

bool anybody_may_replace(const fs::path& directory) {
  struct ::stat status {};
  if (::stat(directory.c_str(), &status) != 0) return false;  // not there yet, or not for us to see
  return (status.st_mode & S_IWOTH) != 0 && (status.st_mode & S_ISVTX) == 0;
}

Result<void> check_upwards(fs::path path, const std::string& asked) {
  while (true) {
    if (anybody_may_replace(path))
      return fail(ErrorCode::config,
                  "use " + plimsoll::quoted(asked) + ": " + plimsoll::quoted(path.string()) +
                      " is writable by others without the sticky bit",
                  "chmod o-w " + path.string() + ", or use another directory");
    const fs::path parent = path.parent_path();
    if (parent == path || parent.empty()) return {};
    path = parent;
  }
}

}  // namespace

Result<void> check_parents_safe(const std::string& path) {
  std::error_code error;
  const fs::path named = fs::absolute(path, error).lexically_normal();
  if (error)
    return fail(ErrorCode::config, "use " + plimsoll::quoted(path) + ": " + error.message());
  if (auto as_named = check_upwards(named, path); !as_named) return as_named;
  const fs::path resolved = fs::weakly_canonical(named, error);
  if (error)
    return fail(ErrorCode::config, "use " + plimsoll::quoted(path) + ": " + error.message());
  return check_upwards(resolved, path);
}

}  // namespace plimsoll
