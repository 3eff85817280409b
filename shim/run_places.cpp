// run_places.cpp - looks at the places, and makes RUN/segments where RUN is ours.
#include "shim/run_places.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "schemas/text.hpp"
#include "shim/owned_fd.hpp"
#include "shim/system_error.hpp"

namespace plimsoll {
namespace {

constexpr mode_t kSegmentsMode =
    03770;  // setgid gives movers the group, sticky keeps them from unlinking

std::string variable(const char* name) {
  const char* value = secure_getenv(name);
  return value == nullptr ? "" : value;
}

bool may_write(const std::string& directory) {
  struct stat status {};
  return stat(directory.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         faccessat(AT_FDCWD, directory.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
}

bool exists(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0;
}

bool is_own_directory(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

// mkdir drops the special bits, so the mode is set again, on the directory that was opened.
Result<std::string> make_segments(const std::string& directory) {
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
    return fail(system_error("make directory " + quoted(directory), errno));
  const OwnedFd fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.is_open()) return fail(system_error("open directory " + quoted(directory), errno));
  if (fchmod(fd.get(), kSegmentsMode) != 0)
    return fail(system_error("set the mode of " + quoted(directory), errno));
  return directory;
}

}  // namespace

std::vector<std::string> run_candidates() {
  if (auto forced = variable("PLIMSOLL_RUN_DIR"); !forced.empty()) return {forced};
  std::vector<std::string> runs = {"/run/plimsoll"};
  if (auto runtime = variable("XDG_RUNTIME_DIR"); !runtime.empty())
    runs.push_back(runtime + "/plimsoll");
  runs.push_back("/run/user/" + std::to_string(geteuid()) + "/plimsoll");
  return runs;
}

Result<std::string> find_segments_directory(const std::vector<std::string>& runs) {
  std::string denied;
  for (const auto& run : runs) {
    const std::string directory = run + "/segments";
    if (may_write(directory)) return directory;
    if (exists(directory) && denied.empty()) denied = directory;
  }
  for (const auto& run : runs)
    if (is_own_directory(run) && !exists(run + "/segments"))
      return make_segments(run + "/segments");
  if (!denied.empty())
    return fail(ErrorCode::permission, "write to " + quoted(denied) + ": permission denied",
                "join the directory's group (plimsoll)");
  const std::string first = runs.empty() ? "" : runs.front();
  return fail(ErrorCode::not_found, "find a segments directory: none in " + quoted(first) + " etc.",
              "start plimsoll-agent, or set PLIMSOLL_RUN_DIR");
}

}  // namespace plimsoll
