// process_facts.cpp - a few system calls, none of them in the loop.
#include "agent/process_facts.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "runtime/errno_error.hpp"
#include "runtime/modes.hpp"
#include "runtime/safe_open.hpp"
#include "runtime/unique_fd.hpp"
#include "schemas/text.hpp"

namespace plimsoll {
namespace {

constexpr mode_t kRunMode = 0755;
constexpr std::size_t kUsefulOpenFiles = std::size_t{1}
                                         << 20U;  // some systems say a thousand million

}  // namespace

BootId read_boot_id() {
  const UniqueFd fd(::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
  std::array<char, 64> text{};
  const auto got = fd ? ::read(fd.get(), text.data(), text.size()) : -1;
  std::string digits;
  for (ssize_t i = 0; i < got; ++i)
    if (text[static_cast<std::size_t>(i)] != '-' && text[static_cast<std::size_t>(i)] != '\n')
      digits += text[static_cast<std::size_t>(i)];
  return id_from_hex<BootId>(digits).value_or(BootId{});
}

std::uint64_t random_number() {
  std::uint64_t number = 0;
  PLIMSOLL_CHECK(::getrandom(&number, sizeof number, 0) == static_cast<ssize_t>(sizeof number));
  return number;
}

AgentId random_agent_id() {
  return {random_number(), random_number()};
}

std::size_t raise_open_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  const auto before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = before;
  return std::min<std::size_t>(limit.rlim_cur, kUsefulOpenFiles);
}

Result<void> make_run_directory(const std::string& path) {
  if (auto safe = check_parents_safe(path); !safe) return safe;
  const bool made = ::mkdir(path.c_str(), kRunMode) == 0;
  if (!made && errno != EEXIST) {
    auto error = errno_error("create the run directory " + quoted(path), errno);
    if (error.code != ErrorCode::permission) error.code = ErrorCode::cannot_create;
    error.hint = "create it for this user, or give another one with --run-dir";
    return fail(std::move(error));
  }
  const auto fd = open_directory(path);
  if (!fd) return fail(ErrorCode::cannot_create, fd.error().message, fd.error().hint);
  if (made && ::fchmod(fd->get(), kRunMode) != 0)
    return errno_failure("set the mode of " + quoted(path), errno);
  return {};
}

}  // namespace plimsoll
