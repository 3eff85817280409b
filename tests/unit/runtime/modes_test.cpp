// modes_test.cpp - directories in which anybody could replace ours.
#include "runtime/modes.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/runtime/temporary_directory.hpp"

using namespace plimsoll;
using plimsoll::test::TemporaryDirectory;

namespace {

void make(const std::string& path, mode_t mode) {
  REQUIRE(::mkdir(path.c_str(), 0700) == 0);
  REQUIRE(::chmod(path.c_str(), mode) == 0);
}

}  // namespace

TEST_CASE("a directory of ours under a sticky one is safe, also before it exists") {
  const TemporaryDirectory directory;
  make(directory / "run", 0755);
  make(directory / "sticky", 01777);
  CHECK(check_parents_safe(directory / "run").has_value());
  CHECK(check_parents_safe(directory / "run/not/yet/there").has_value());
  CHECK(check_parents_safe(directory / "sticky").has_value());
}

TEST_CASE("a directory or parent writable by others is refused by name") {
  const TemporaryDirectory directory;
  make(directory / "open", 0777);
  make(directory / "open/run", 0755);
  for (const char* name : {"open", "open/run", "open/run/missing"}) {
    CAPTURE(name);
    const auto checked = check_parents_safe(directory / name);
    REQUIRE_FALSE(checked.has_value());
    CHECK(checked.error().code == ErrorCode::config);
    CHECK(checked.error().message.find("'" + (directory / "open") + "' is writable by others") !=
          std::string::npos);
  }
}

TEST_CASE("a symlink hides neither where it is nor where it leads") {
  const TemporaryDirectory directory;
  make(directory / "open", 0777);
  make(directory / "closed", 0755);
  make(directory / "open/run", 0755);
  REQUIRE(::symlink((directory / "open/run").c_str(), (directory / "closed/link").c_str()) == 0);
  REQUIRE(::symlink((directory / "closed").c_str(), (directory / "open/link").c_str()) == 0);
  CHECK_FALSE(check_parents_safe(directory / "closed/link").has_value());
  CHECK_FALSE(check_parents_safe(directory / "open/link").has_value());
  CHECK(check_parents_safe(directory / "closed").has_value());
}
