// unix_socket_test.cpp - what may be at the path of a socket before us.
#include "runtime/socket/unix_socket.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "runtime/socket/peer_credentials.hpp"
#include "tests/unit/runtime/temporary_directory.hpp"

using namespace plimsoll;
using plimsoll::test::TemporaryDirectory;

namespace {

struct ::stat status_of(const std::string& path) {
  struct ::stat status {};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status;
}

std::size_t entries(const std::string& path) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path),
                                                std::filesystem::directory_iterator()));
}

}  // namespace

TEST_CASE("a socket has exactly the mode and group asked for, whatever the umask") {
  const TemporaryDirectory directory;
  for (const mode_t umask_bits : {0, 022, 0177}) {
    const mode_t before = ::umask(umask_bits);
    const auto fd = listen_unix(directory / "s.sock", 0660, ::getegid());
    ::umask(before);
    REQUIRE(fd.has_value());
    CHECK((status_of(directory / "s.sock").st_mode & 07777) == 0660);
    CHECK(status_of(directory / "s.sock").st_gid == ::getegid());
    CHECK(connect_unix_fd(directory / "s.sock").has_value());
    CHECK(entries(directory.path()) == 1);  // no temporary name stays
  }
}

TEST_CASE("a stale socket is replaced, a live one is not") {
  const TemporaryDirectory directory;
  const auto path = directory / "s.sock";
  auto first = listen_unix(path, 0600);
  REQUIRE(first.has_value());
  const auto second = listen_unix(path, 0600);
  REQUIRE_FALSE(second.has_value());
  CHECK(second.error().code == ErrorCode::address_in_use);
  CHECK(connect_unix_fd(path).has_value());  // the first one still serves
  first->reset();
  CHECK(listen_unix(path, 0600).has_value());
}

TEST_CASE("something that is no socket is never touched") {
  const TemporaryDirectory directory;
  directory.write("file", "precious");
  REQUIRE(::symlink("file", (directory / "link").c_str()) == 0);
  for (const char* name : {"file", "link"}) {
    const auto fd = listen_unix(directory / name, 0600);
    REQUIRE_FALSE(fd.has_value());
    CHECK(fd.error().code == ErrorCode::config);
    CHECK(fd.error().message.find(name) != std::string::npos);
  }
  CHECK(status_of(directory / "file").st_size == 8);
  CHECK(S_ISLNK(status_of(directory / "link").st_mode));
}

TEST_CASE("107 bytes of path work, 108 are refused with path and length") {
  const TemporaryDirectory directory;
  const std::string base = directory.path() + "/";
  const std::string fits = base + std::string(kMaxSocketPathBytes - base.size(), 'x');
  const auto fd = listen_unix(fits, 0600);
  REQUIRE(fd.has_value());
  CHECK(connect_unix_fd(fits).has_value());
  const auto refused = listen_unix(fits + "x", 0600);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::config);
  CHECK(refused.error().message.find("108 bytes") != std::string::npos);
  CHECK(refused.error().message.find(fits + "x") != std::string::npos);
  CHECK(connect_unix_fd(fits + "x").error().code == ErrorCode::config);
  CHECK(entries(directory.path()) == 1);
}

TEST_CASE("another user's stale socket is refused to a plain user") {
  if (::geteuid() != 0) return;  // only root can play two users
  const TemporaryDirectory directory;
  REQUIRE(::chmod(directory.path().c_str(), 0777) == 0);
  REQUIRE(listen_unix(directory / "s.sock", 0666).has_value());
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setresuid(65534, 65534, 65534) != 0) ::_exit(2);
    const auto fd = listen_unix(directory / "s.sock", 0600);
    ::_exit(!fd && fd.error().code == ErrorCode::config ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("connecting where nobody listens is unreachable") {
  const TemporaryDirectory directory;
  CHECK(connect_unix_fd(directory / "missing").error().code == ErrorCode::unreachable);
  (void)listen_unix(directory / "stale", 0600);
  CHECK(connect_unix_fd(directory / "stale").error().code == ErrorCode::unreachable);
}

TEST_CASE("the kernel says who is at the other end") {
  const TemporaryDirectory directory;
  const auto fd = listen_unix(directory / "s.sock", 0600);
  REQUIRE(fd.has_value());
  const auto client = connect_unix_fd(directory / "s.sock");
  REQUIRE(client.has_value());
  const auto peer = peer_credentials(client->get());
  REQUIRE(peer.has_value());
  CHECK(peer->uid == ::geteuid());
  CHECK(peer->pid == ::getpid());
  CHECK(peer->in_group(::getegid()));
  CHECK_FALSE(peer->in_group(54321));
  const UniqueFd tcp(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(tcp);
  CHECK_FALSE(peer_credentials(tcp.get()).value().known());
}
