// segment_create_test.cpp - how a segment comes into being: whole, locked, named, owned; or not at
// all.
#include <catch2/catch.hpp>

#include <fcntl.h>
#include <grp.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cerrno>

#include "schemas/codec.hpp"
#include "schemas/segment_layout.hpp"
#include "shim/segment_create.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/segment_file.hpp"

using namespace plimsoll;
using plimsoll::test::run_in_child;
using plimsoll::test::SegmentDirectory;
using plimsoll::test::SegmentFile;
using plimsoll::test::skip_without;

namespace {

SegmentRequest request_in(const std::string& directory) {
  Identity identity;
  identity.backup = "nightly";
  return {directory, encode(identity), layout::kDefaultRingBytes, false, false};
}

constexpr gid_t kGroup = 60123;
constexpr uid_t kAgent = 60001;

// Becomes a plain user in the movers' group, with a hostile umask.
bool become(uid_t uid) {
  umask(077);
  const gid_t group = kGroup;
  return setgroups(1, &group) == 0 && setgid(uid) == 0 && setuid(uid) == 0;
}

bool make_shared_directory(const std::string& path) {
  return chown(path.c_str(), kAgent, kGroup) == 0 && chmod(path.c_str(), 03770) == 0;
}

}  // namespace

TEST_CASE("a new segment is whole, locked, 0660 and named after its session") {
  const bool named = GENERATE(false, true);
  INFO("without O_TMPFILE: " << named);
  const SegmentDirectory directory;
  auto request = request_in(directory.path());
  request.without_tmpfile = named;
  {
    const auto segment = MappedSegment::create(request);
    REQUIRE(segment);
    CHECK(directory.only_segment() == segment->path());
    const SegmentFile file(segment->path());
    CHECK((file.status().st_mode & 07777U) == 0660);
    CHECK(file.status().st_nlink == 1);
    CHECK(file.status().st_size == 0x2000 + 8192);
    CHECK(file.status().st_blocks * 512 >= file.status().st_size);
    CHECK(file.page().header.segment == segment->id());
    CHECK_FALSE(file.page().header.boot.is_zero());
    CHECK(file.page().header.start_boottime_ns > 0);
    CHECK(file.identity().identity.backup == "nightly");
    CHECK(file.is_locked());
  }
  const SegmentFile file(directory.only_segment());
  CHECK_FALSE(file.is_locked());
}

TEST_CASE("two segments of one directory have two names") {
  const SegmentDirectory directory;
  const auto one = MappedSegment::create(request_in(directory.path()));
  const auto two = MappedSegment::create(request_in(directory.path()));
  REQUIRE((one && two));
  CHECK(one->id() != two->id());
  CHECK(directory.names().size() == 2);
}

TEST_CASE("a directory that is missing or no directory is an error that says which") {
  const SegmentDirectory directory;
  const auto missing = MappedSegment::create(request_in(directory.path() + "/none"));
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == ErrorCode::not_found);
  CHECK(missing.error().message.find(directory.path() + "/none") != std::string::npos);
  CHECK_FALSE(MappedSegment::create(request_in("/dev/null")));
}

TEST_CASE("the lock goes free when the mover is killed, and not before") {
  const SegmentDirectory directory;
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto segment = MappedSegment::create(request_in(directory.path()));
    if (write(ready[1], segment ? "y" : "n", 1) != 1) _exit(1);
    while (true)
      pause();
  }
  char answer = 0;
  REQUIRE(read(ready[0], &answer, 1) == 1);
  REQUIRE(answer == 'y');
  const SegmentFile file(directory.only_segment());
  CHECK(file.is_locked());
  REQUIRE(kill(child, SIGKILL) == 0);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK_FALSE(file.is_locked());
  CHECK(file.judge().ok());
  close(ready[0]);
  close(ready[1]);
}

TEST_CASE("a full tmpfs is an error at creation, never a signal, and leaves nothing behind") {
  const SegmentDirectory directory;
  const bool mounted =
      geteuid() == 0 && mount("tmpfs", directory.path().c_str(), "tmpfs", 0, "size=24k") == 0;
  if (skip_without(mounted, "root that may mount a tmpfs")) return;
  for (const bool named : {false, true}) {
    auto request = request_in(directory.path());
    request.without_tmpfile = named;
    const auto first = MappedSegment::create(request);
    CHECK(first);
    const auto second = MappedSegment::create(request);
    REQUIRE_FALSE(second);
    CHECK(second.error().code == ErrorCode::no_space);
    REQUIRE(directory.names().size() == 1);
    REQUIRE(unlink(directory.only_segment().c_str()) == 0);
  }
  CHECK(umount(directory.path().c_str()) == 0);
}

TEST_CASE(
    "movers of several users share a directory under umask 077, and cannot unlink each other") {
  const SegmentDirectory directory;
  if (skip_without(geteuid() == 0, "root to change users")) return;
  REQUIRE(make_shared_directory(directory.path()));
  for (const uid_t uid : {60002U, 60003U, 60004U}) {
    const int rc = run_in_child([&] {
      if (!become(uid)) return 2;
      return MappedSegment::create(request_in(directory.path())) ? 0 : 1;
    });
    CHECK(rc == 0);
  }
  const auto names = directory.names();
  REQUIRE(names.size() == 3);
  for (const auto& name : names) {
    struct stat status {};
    REQUIRE(stat((directory.path() + "/" + name).c_str(), &status) == 0);
    CHECK(status.st_gid == kGroup);
    CHECK((status.st_mode & 07777U) == 0660);
  }
  const int agent = run_in_child([&] {
    if (!become(kAgent)) return 2;
    for (const auto& name : names) {
      const int fd = open((directory.path() + "/" + name).c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
      if (fd < 0 || pwrite(fd, "\1", 1, layout::kCancelOffset) != 1) return 3;
      close(fd);
    }
    return unlink((directory.path() + "/" + names[0]).c_str()) == 0 ? 0 : 4;
  });
  CHECK(agent == 0);
  const int stranger = run_in_child([&] {
    if (!become(60009)) return 2;
    return unlink((directory.path() + "/" + names[1]).c_str()) == 0 ? 1 : 0;
  });
  CHECK(stranger == 0);
}

TEST_CASE("a directory of others is refused with permission, and the mover lives") {
  const SegmentDirectory directory;
  if (skip_without(geteuid() == 0, "root to change users")) return;
  REQUIRE(chmod(directory.path().c_str(), 0755) == 0);
  const int rc = run_in_child([&] {
    if (!become(60002)) return 2;
    const auto segment = MappedSegment::create(request_in(directory.path()));
    return !segment && segment.error().code == ErrorCode::permission ? 0 : 1;
  });
  CHECK(rc == 0);
}
