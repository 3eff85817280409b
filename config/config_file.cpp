// config_file.cpp - reads a configuration file if it is one to be trusted.
#include "config/config_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "config/strict_yaml.hpp"
#include "schemas/text.hpp"

namespace plimsoll {
namespace {

class OpenFile {
 public:
  // O_NONBLOCK: a FIFO must not make the daemon wait for a writer.
  explicit OpenFile(const std::string& path)
      : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
  ~OpenFile() {
    if (fd_ >= 0) close(fd_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_;
};

Failure refuse(const std::string& path, const std::string& cause, const std::string& hint = "") {
  return fail(ErrorCode::config, "read config " + quoted(path) + ": " + cause, hint);
}

Failure refuse_errno(const std::string& path) {
  return refuse(path, std::generic_category().message(errno));
}

Result<void> check_trust(const std::string& path, const struct stat& info, const Environment& env) {
  if (!S_ISREG(info.st_mode)) return refuse(path, "not a regular file");
  if (info.st_uid != 0 && info.st_uid != env.uid)
    return refuse(path,
                  "owned by uid " + std::to_string(info.st_uid) + "; it must be root's or uid " +
                      std::to_string(env.uid) + "'s",
                  "chown it");
  if ((info.st_mode & S_IWOTH) != 0) return refuse(path, "writable by others", "chmod o-w it");
  if ((info.st_mode & S_IWGRP) != 0 && info.st_gid != 0 && info.st_gid != env.gid)
    return refuse(path, "writable by group " + std::to_string(info.st_gid), "chmod g-w it");
  return {};
}

}  // namespace

Result<std::string> read_config_file(const std::string& path, const Environment& env) {
  const OpenFile file(path);
  struct stat info {};
  if (file.fd() < 0 || fstat(file.fd(), &info) != 0) return refuse_errno(path);
  if (auto trusted = check_trust(path, info, env); !trusted) return fail(trusted.error());
  std::string text(kMaxYamlBytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const auto count = read(file.fd(), text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return refuse_errno(path);
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  text.resize(size);  // one byte over the bound is refused by the parser
  return text;
}

}  // namespace plimsoll
