// run_names_test.cpp - the names `plimsoll run` makes up, and what --total takes.
#include "cli/commands/run_names.hpp"

#include <rapidcheck/catch.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cli/commands/run_total.hpp"
#include "schemas/names.hpp"
#include "schemas/text_bounds.hpp"

namespace plimsoll::cli {

namespace {

constexpr WallTime kNow{milliseconds(1'769'903'999'500)};  // 2026-01-31T23:59:59.5Z

}  // namespace

TEST_CASE("a backup without a name is named after the tool and the time") {
  CHECK(default_backup_name("restic", kNow) == "restic-20260131t235959z");
  CHECK(default_backup_name("My_Tool.sh", kNow) == "my-tool-sh-20260131t235959z");
  CHECK(default_backup_name("", kNow) == "run-20260131t235959z");
}

TEST_CASE("an item without a name is the working directory in dashes") {
  CHECK(default_item_name("/srv/www") == "paths/srv-www");
  CHECK(default_item_name("/") == "paths/root");
  CHECK(default_item_name("/srv/über uns/") == "paths/srv-ber-uns");
}

TEST_CASE("the next backup of a name that is over has the time behind it and stays in bounds") {
  CHECK(next_backup_name("nightly", kNow) == "nightly-20260131t235959z");
  const std::string longest = next_backup_name(std::string(kMaxBackupBytes, 'a'), kNow);
  CHECK(longest.size() == kMaxBackupBytes);
}

TEST_CASE("every name that is made up is allowed") {
  rc::prop("names", [](const std::string& text) {
    RC_ASSERT(check_backup_name(default_backup_name(text, kNow)).has_value());
    RC_ASSERT(parse_item(default_item_name(text)).has_value());
    const std::string backup = default_backup_name(text, kNow);
    RC_ASSERT(check_backup_name(next_backup_name(backup, kNow)).has_value());
  });
}

TEST_CASE("a total is a number, or the size of what a path names") {
  CHECK(read_total("1048576", seconds(1)) == std::int64_t{1048576});
  CHECK(read_total("0", seconds(1)) == std::int64_t{0});
  std::string directory = (std::filesystem::temp_directory_path() / "plimsoll-XXXXXX").string();
  REQUIRE(mkdtemp(directory.data()) != nullptr);
  std::filesystem::create_directory(directory + "/sub");
  std::ofstream(directory + "/a") << "12345";
  std::ofstream(directory + "/sub/b") << "1234567";
  CHECK(read_total(directory + "/a", seconds(1)) == std::int64_t{5});
  CHECK(read_total(directory, seconds(10)) == std::int64_t{12});
  std::filesystem::remove_all(directory);
  for (const std::string wrong :
       {"", "-1", "12x", "/no/such/path", "99999999999999999999", "/dev/null"})
    CHECK(read_total(wrong, seconds(1)).error().code == ErrorCode::usage);
}

}  // namespace plimsoll::cli
