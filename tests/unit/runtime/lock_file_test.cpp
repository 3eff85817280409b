// lock_file_test.cpp - one instance at a time.
#include "runtime/lock_file.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/runtime/temporary_directory.hpp"

using namespace plimsoll;
using plimsoll::test::TemporaryDirectory;

TEST_CASE("a held lock refuses others and names the holder; a released one does not") {
  const TemporaryDirectory directory;
  const auto path = directory / "daemon.lock";
  auto first = LockFile::take(path);
  REQUIRE(first.has_value());
  const auto second = LockFile::take(path);
  REQUIRE_FALSE(second.has_value());
  CHECK(second.error().code == ErrorCode::address_in_use);
  CHECK(second.error().message ==
        "lock '" + path + "': held by process " + std::to_string(::getpid()));
  first = fail(ErrorCode::closed, "let go");
  CHECK(LockFile::take(path).has_value());
}

TEST_CASE("the lock file is for its owner only, even if it was not before") {
  const TemporaryDirectory directory;
  directory.write("daemon.lock", "rubbish, and more of it than a pid has");
  REQUIRE(::chmod((directory / "daemon.lock").c_str(), 0666) == 0);
  const auto lock = LockFile::take(directory / "daemon.lock");
  REQUIRE(lock.has_value());
  struct ::stat status {};
  REQUIRE(::stat((directory / "daemon.lock").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0600);
  CHECK(status.st_size == static_cast<off_t>(std::to_string(::getpid()).size() + 1));
}

TEST_CASE("a lock dies with its process") {
  const TemporaryDirectory directory;
  const auto path = directory / "daemon.lock";
  const pid_t child = ::fork();
  if (child == 0) ::_exit(LockFile::take(path).has_value() ? 0 : 1);
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
  CHECK(LockFile::take(path).has_value());
}

TEST_CASE("what cannot be a lock file is refused") {
  const TemporaryDirectory directory;
  REQUIRE(::symlink("elsewhere", (directory / "link").c_str()) == 0);
  REQUIRE(::mkfifo((directory / "fifo").c_str(), 0600) == 0);
  CHECK(LockFile::take(directory / "link").error().code == ErrorCode::bad_request);
  CHECK(LockFile::take(directory / "fifo").error().code == ErrorCode::config);
  CHECK(LockFile::take(directory / "missing/x").error().code == ErrorCode::not_found);
}
