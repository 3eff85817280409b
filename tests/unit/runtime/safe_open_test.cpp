// safe_open_test.cpp - what others may have put into a directory.
#include "runtime/safe_open.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "runtime/socket/unix_socket.hpp"
#include "tests/unit/runtime/temporary_directory.hpp"

using namespace plimsoll;
using plimsoll::test::TemporaryDirectory;

namespace {

ErrorCode refusal(int directory, std::string_view name) {
  const auto opened = open_below(directory, name, O_RDONLY);
  REQUIRE_FALSE(opened.has_value());
  return opened.error().code;
}

}  // namespace

TEST_CASE("a regular file is opened and can be read") {
  const TemporaryDirectory directory;
  directory.write("file", "text");
  const auto base = open_directory(directory.path());
  REQUIRE(base.has_value());
  const auto file = open_below(base->get(), "file", O_RDONLY);
  REQUIRE(file.has_value());
  char buffer[8] = {};
  CHECK(::read(file->get(), buffer, sizeof buffer) == 4);
  CHECK(std::string(buffer) == "text");
  const auto status = stat_of(file->get());
  REQUIRE(status.has_value());
  CHECK(status->st_size == 4);
  CHECK((::fcntl(file->get(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE("symlinks of every kind are refused") {
  const TemporaryDirectory directory;
  directory.write("file", "text");
  const auto base = open_directory(directory.path());
  REQUIRE(base.has_value());
  for (const char* target : {"/etc/passwd", "file", "/proc/self/mem", "/proc/self/fd/0", "loop",
                             "/dev/null", "nowhere"}) {
    CAPTURE(target);
    REQUIRE(::symlink(target, (directory / "loop").c_str()) == 0);
    CHECK(refusal(base->get(), "loop") == ErrorCode::bad_request);
    REQUIRE(::unlink((directory / "loop").c_str()) == 0);
  }
}

TEST_CASE("FIFOs, sockets, directories and devices are refused without being opened") {
  const TemporaryDirectory directory;
  const auto base = open_directory(directory.path());
  REQUIRE(base.has_value());
  REQUIRE(::mkfifo((directory / "fifo").c_str(), 0600) == 0);
  REQUIRE(::mkdir((directory / "directory").c_str(), 0700) == 0);
  const auto socket = listen_unix(directory / "socket", 0600);
  REQUIRE(socket.has_value());
  CHECK(refusal(base->get(), "fifo") == ErrorCode::bad_request);
  CHECK(refusal(base->get(), "directory") == ErrorCode::bad_request);
  CHECK(refusal(base->get(), "socket") == ErrorCode::bad_request);
  if (::mknod((directory / "null").c_str(), S_IFCHR | 0600, makedev(1, 3)) == 0)
    CHECK(refusal(base->get(), "null") == ErrorCode::bad_request);
}

TEST_CASE("names that are more than one component are refused") {
  const TemporaryDirectory directory;
  directory.write("file", "text");
  const auto base = open_directory(directory.path());
  REQUIRE(base.has_value());
  for (const std::string& name :
       {std::string(""), std::string("."), std::string(".."), std::string("../x"),
        std::string("/etc/passwd"), std::string("./file"), std::string("file\0x", 6)})
    CHECK(refusal(base->get(), name) == ErrorCode::bad_request);
  CHECK(refusal(base->get(), "missing") == ErrorCode::not_found);
}

TEST_CASE("a file under a lease is busy instead of blocking us") {
  const TemporaryDirectory directory;
  directory.write("file", "text");
  const UniqueFd holder(::open((directory / "file").c_str(), O_RDWR | O_CLOEXEC));
  REQUIRE(holder);
  if (::fcntl(holder.get(), F_SETLEASE, F_WRLCK) != 0) return;  // no leases on this file system
  ::signal(SIGIO, SIG_IGN);                                     // how the kernel tells the holder
  const auto base = open_directory(directory.path());
  REQUIRE(base.has_value());
  CHECK(refusal(base->get(), "file") == ErrorCode::busy);
  REQUIRE(::fcntl(holder.get(), F_SETLEASE, F_UNLCK) == 0);
  CHECK(open_below(base->get(), "file", O_RDONLY).has_value());
}

TEST_CASE("a directory that is a symlink or no directory is refused") {
  const TemporaryDirectory directory;
  directory.write("file", "text");
  REQUIRE(::symlink(directory.path().c_str(), (directory / "link").c_str()) == 0);
  REQUIRE(::mkdir((directory / "sub").c_str(), 0700) == 0);
  CHECK(open_directory(directory / "link").error().code == ErrorCode::bad_request);
  CHECK(open_directory(directory / "file").error().code == ErrorCode::bad_request);
  CHECK(open_directory(directory / "missing").error().code == ErrorCode::not_found);
  const auto base = open_directory(directory.path());
  REQUIRE(base.has_value());
  CHECK(open_directory_below(base->get(), "sub").has_value());
  CHECK(open_directory_below(base->get(), "link").error().code == ErrorCode::bad_request);
  CHECK(open_directory_below(base->get(), "..").error().code == ErrorCode::bad_request);
}
