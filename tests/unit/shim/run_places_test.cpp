// run_places_test.cpp - where segments go: the first writable `segments`, made only in a RUN of
// one's own.
#include <catch2/catch.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "shim/run_places.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/segment_file.hpp"

using namespace plimsoll;
using plimsoll::test::run_in_child;
using plimsoll::test::SegmentDirectory;
using plimsoll::test::skip_without;

TEST_CASE("the first candidate with a writable segments directory is taken") {
  const SegmentDirectory first;
  const SegmentDirectory second;
  REQUIRE(mkdir((second.path() + "/segments").c_str(), 0770) == 0);
  CHECK(find_segments_directory({first.path(), second.path()}) == second.path() + "/segments");
  REQUIRE(mkdir((first.path() + "/segments").c_str(), 0770) == 0);
  CHECK(find_segments_directory({first.path(), second.path()}) == first.path() + "/segments");
}

TEST_CASE("segments is made, 3770, in a RUN of one's own; RUN itself is not") {
  const SegmentDirectory run;
  CHECK(find_segments_directory({run.path() + "/none"}).error().code == ErrorCode::not_found);
  REQUIRE(find_segments_directory({run.path() + "/none", run.path()}) == run.path() + "/segments");
  struct stat status {};
  REQUIRE(stat((run.path() + "/segments").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777U) == 03770);
  CHECK(access((run.path() + "/none").c_str(), F_OK) != 0);
}

TEST_CASE(
    "a segments directory of others is a question of permission, a RUN of others is left alone") {
  const SegmentDirectory run;
  if (skip_without(geteuid() == 0, "root to change users")) return;
  REQUIRE(chmod(run.path().c_str(), 0755) == 0);
  const auto code_as_user = [&] {
    return run_in_child([&] {
      if (setgid(60002) != 0 || setuid(60002) != 0) return 99;
      const auto found = find_segments_directory({run.path()});
      return found ? 0 : static_cast<int>(found.error().code);
    });
  };
  CHECK(code_as_user() == static_cast<int>(ErrorCode::not_found));
  REQUIRE(mkdir((run.path() + "/segments").c_str(), 0700) == 0);
  CHECK(code_as_user() == static_cast<int>(ErrorCode::permission));
}

TEST_CASE("PLIMSOLL_RUN_DIR is the only candidate when it is set") {
  const int rc = run_in_child([] {
    setenv("PLIMSOLL_RUN_DIR", "/somewhere", 1);
    if (run_candidates() != std::vector<std::string>{"/somewhere"}) return 1;
    unsetenv("PLIMSOLL_RUN_DIR");
    setenv("XDG_RUNTIME_DIR", "/xdg", 1);
    const auto user = "/run/user/" + std::to_string(geteuid()) + "/plimsoll";
    const std::vector<std::string> expected = {"/run/plimsoll", "/xdg/plimsoll", user};
    return run_candidates() == expected ? 0 : 2;
  });
  CHECK(rc == 0);
}
