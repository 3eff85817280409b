// run_total.cpp - see run_total.hpp.
#include "cli/commands/run_total.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <limits>
#include <system_error>

#include "runtime/clock.hpp"
#include "schemas/text.hpp"

namespace plimsoll::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMaxTotal = std::numeric_limits<std::int64_t>::max();
constexpr int kEntriesPerLook = 256;

Failure refuse(const std::string& text, const std::string& cause) {
  return fail(ErrorCode::usage, "--total " + plimsoll::quoted(text) + ": " + cause,
              "a number of bytes, or a file, block device or directory", "total");
}

std::int64_t block_device_size(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return 0;
  std::uint64_t size_bytes = 0;
  const bool known = ioctl(fd, BLKGETSIZE64, &size_bytes) == 0;
  close(fd);
  return known && size_bytes <= static_cast<std::uint64_t>(kMaxTotal)
             ? static_cast<std::int64_t>(size_bytes)
             : 0;
}

// Links are not followed; what cannot be read counts nothing, as the tool cannot read it either.
std::int64_t tree_size(const std::string& path, Duration at_most) {
  const std::uint64_t begun_ns = boottime_ns();
  std::int64_t total = 0;
  int entries = 0;
  std::error_code error;
  fs::recursive_directory_iterator at(path, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code ignored;
    if (at->is_regular_file(ignored) && !at->is_symlink(ignored)) {
      const std::uintmax_t size_bytes = at->file_size(ignored);
      if (!ignored && size_bytes < static_cast<std::uintmax_t>(kMaxTotal - total))
        total += static_cast<std::int64_t>(size_bytes);
    }
    const bool look = ++entries % kEntriesPerLook == 0;
    if (look && Duration(boottime_ns() - begun_ns) > at_most) return 0;
  }
  return total;
}

}  // namespace

Result<std::int64_t> read_total(const std::string& text, Duration at_most) {
  if (text.empty()) return refuse(text, "it is empty");
  std::int64_t bytes = 0;
  const char* end = text.data() + text.size();
  const auto [stop, parsed] = std::from_chars(text.data(), end, bytes);
  if (parsed == std::errc() && stop == end) {
    if (bytes < 0) return refuse(text, "it is negative");
    return bytes;
  }
  struct stat info {};
  if (stat(text.c_str(), &info) != 0)
    return refuse(text, std::error_code(errno, std::generic_category()).message());
  if (S_ISREG(info.st_mode)) return static_cast<std::int64_t>(info.st_size);
  if (S_ISBLK(info.st_mode)) return block_device_size(text);
  if (S_ISDIR(info.st_mode)) return tree_size(text, at_most);
  return refuse(text, "it is no file, block device or directory");
}

}  // namespace plimsoll::cli
