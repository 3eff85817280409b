// cancel_writer_test.cpp - one byte, and the end; both only for the file that was read.
#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include "agent/io/cancel_writer.hpp"
#include "agent/io/segment_place.hpp"
#include "runtime/safe_open.hpp"
#include "tests/unit/agent/io/segment_rig.hpp"

using namespace plimsoll;
using plimsoll::test::mover_options;

namespace {

SegmentFileRef file_of(int directory_fd, const Producer& mover) {
  SegmentFileRef file{directory_fd, segment_file_name(*mover.segment_id()), 0};
  struct ::stat found {};
  REQUIRE(fstatat(directory_fd, file.name.c_str(), &found, 0) == 0);
  file.inode = found.st_ino;
  return file;
}

}  // namespace

TEST_CASE("the cancel byte reaches the mover and changes nothing else") {
  test::SegmentDirectory directory;
  const auto fd = open_directory(directory.path());
  REQUIRE(fd);
  Producer mover(mover_options(directory.path()));
  mover.update(10, 100);
  CHECK_FALSE(mover.cancel_requested());
  const auto file = file_of(fd->get(), mover);
  const auto before = test::SegmentFile(directory.only_segment()).read_at(0, 16384);
  REQUIRE(write_cancel(file));
  auto after = test::SegmentFile(directory.only_segment()).read_at(0, 16384);
  CHECK(mover.cancel_requested());
  after[layout::kCancelOffset] = std::byte{0};
  CHECK((before == after));
}

TEST_CASE("neither byte nor unlink ever reaches another file of the same name") {
  test::SegmentDirectory directory;
  const auto fd = open_directory(directory.path());
  Producer mover(mover_options(directory.path()));
  auto file = file_of(fd->get(), mover);
  file.inode += 1;
  CHECK(write_cancel(file).error().code == ErrorCode::conflict);
  CHECK(unlink_segment(file).error().code == ErrorCode::conflict);
  CHECK_FALSE(mover.cancel_requested());
  CHECK(directory.names().size() == 1);
}

TEST_CASE("a segment is unlinked only when nobody holds its lock") {
  test::SegmentDirectory directory;
  const auto fd = open_directory(directory.path());
  auto mover = std::make_unique<Producer>(mover_options(directory.path()));
  const auto file = file_of(fd->get(), *mover);
  mover->complete("snap-1");
  CHECK(unlink_segment(file).error().code == ErrorCode::busy);
  mover.reset();
  CHECK(unlink_segment(file));
  CHECK(directory.names().empty());
  CHECK(unlink_segment(file).error().code == ErrorCode::not_found);
}

TEST_CASE("RUN/segments is made 3770 whatever the umask, and a right one is left alone") {
  test::SegmentDirectory parent;
  const auto path = parent.path() + "/segments";
  const auto mask = umask(077);
  REQUIRE(make_segments_directory(path, std::nullopt));
  umask(mask);
  const auto mode_of = [&path] {
    struct ::stat found {};
    REQUIRE(stat(path.c_str(), &found) == 0);
    return found.st_mode & 07777;
  };
  CHECK(mode_of() == 03770);
  REQUIRE(chmod(path.c_str(), 03777) == 0);  // documented for agents without a group
  REQUIRE(make_segments_directory(path, std::nullopt));
  CHECK(mode_of() == 03777);
  REQUIRE(chmod(path.c_str(), 0700) == 0);  // ours and wrong: set right
  REQUIRE(make_segments_directory(path, std::nullopt));
  CHECK(mode_of() == 03770);
}

TEST_CASE("RUN/segments is not made where a file or nothing is in the way") {
  test::SegmentDirectory parent;
  CHECK(make_segments_directory(parent.path() + "/no/segments", std::nullopt).error().code ==
        ErrorCode::cannot_create);
  const auto file = parent.path() + "/file";
  const UniqueFd fd(open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
  CHECK_FALSE(make_segments_directory(file, std::nullopt));
}
