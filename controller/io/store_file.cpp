// store_file.cpp - header checks and the making of a new file.
#include "controller/io/store_file.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "runtime/errno_error.hpp"
#include "runtime/unique_fd.hpp"

namespace plimsoll {
namespace {

constexpr std::size_t kHeaderBytes = 100;  // sqlite.org/fileformat2.html, "The Database Header"
constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr std::size_t kUserVersionOffset = 60;
constexpr std::size_t kApplicationIdOffset = 68;
constexpr std::string_view kRestore = "restore the store from a backup; it is never recreated";

using Header = std::array<unsigned char, kHeaderBytes>;

std::uint32_t big_endian(const Header& header, std::size_t offset) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = (value << 8U) | header[offset + i];
  return value;
}

std::string operation_of(const std::string& path) {
  return "open store '" + path + "'";
}

Failure corrupt(const std::string& path, const std::string& cause) {
  return fail(ErrorCode::corrupt, operation_of(path) + ": " + cause, std::string(kRestore));
}

Result<StoreFile> check_missing(const std::string& path) {
  struct ::stat log {};
  if (::lstat((path + "-wal").c_str(), &log) == 0)
    return corrupt(path, "the file is missing, but its write-ahead log is there");
  return StoreFile::missing;
}

Result<void> check_header(const std::string& path, const Header& header, int newest_version) {
  if (std::memcmp(header.data(), kMagic.data(), kMagic.size()) != 0)
    return corrupt(path, "this is no SQLite file");
  if (big_endian(header, kApplicationIdOffset) != kStoreApplicationId)
    return corrupt(path, "this SQLite file belongs to another application");
  const auto version = big_endian(header, kUserVersionOffset);
  if (version > static_cast<std::uint32_t>(newest_version))
    return fail(ErrorCode::unsupported,
                operation_of(path) + ": it has version " + std::to_string(version) +
                    ", this controller knows up to " + std::to_string(newest_version),
                "start the newer controller that wrote it");
  return {};
}

Result<void> sync_directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) != 0)
    return errno_failure("sync directory '" + directory + "'", errno);
  return {};
}

Result<void> make_empty(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd || ::fchmod(fd.get(), 0600) != 0) return errno_failure("create '" + path + "'", errno);
  return {};
}

Result<void> sync_and_name(const std::string& from, const std::string& to) {
  const UniqueFd fd(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) != 0) return errno_failure("sync '" + from + "'", errno);
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) != 0)
    return errno_failure("rename '" + from + "' to '" + to + "'", errno);
  return sync_directory_of(to);
}

}  // namespace

Result<StoreFile> inspect_store_file(const std::string& path, int newest_version) {
  struct ::stat info {};
  if (::lstat(path.c_str(), &info) != 0)
    return errno == ENOENT ? check_missing(path)
                           : Result<StoreFile>(errno_failure(operation_of(path), errno));
  if (!S_ISREG(info.st_mode))
    return fail(ErrorCode::config, operation_of(path) + ": it is a symlink or no regular file",
                "name the file itself as store.sqlite");
  // Closed before SQLite opens the file: closing it later would drop SQLite's own locks.
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd) return errno_failure(operation_of(path), errno);
  Header header{};
  const auto got = ::pread(fd.get(), header.data(), header.size(), 0);
  if (got < 0) return errno_failure(operation_of(path), errno);
  if (got != static_cast<ssize_t>(kHeaderBytes))
    return corrupt(path, "it ends after " + std::to_string(got) + " bytes");
  const auto checked = check_header(path, header, newest_version);
  if (!checked) return fail(checked.error());
  return StoreFile::present;
}

Result<void> create_store_file(const std::string& path,
                               const std::function<Result<void>(const std::string&)>& fill) {
  const std::string draft = path + ".new";
  // Left over from a start that was cut off; it never was the store.
  for (const char* suffix : {"", "-journal", "-wal", "-shm"})
    (void)::unlink((draft + suffix).c_str());
  auto made = make_empty(draft);
  if (made) made = fill(draft);
  if (made) made = sync_and_name(draft, path);
  if (!made) (void)::unlink(draft.c_str());
  return made;
}

}  // namespace plimsoll
