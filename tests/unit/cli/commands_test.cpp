// commands_test.cpp - flags, exit codes and error words that need no daemon.
#include <catch2/catch.hpp>

#include "cli/client.hpp"
#include "cli/commands/backup_wait.hpp"
#include "cli/commands/fetch.hpp"
#include "cli/commands/manifest.hpp"
#include "cli/help.hpp"
#include "rows.hpp"

using namespace plimsoll;
using namespace plimsoll::cli;
using nlohmann::json;

namespace {

std::optional<int> exit_in(const std::string& phase, WaitGoal goal = WaitGoal::terminal) {
  return exit_of_phase(read_backup(backup_document("b", phase, json::object(), json::object())),
                       goal);
}

}  // namespace

TEST_CASE("the exit code of wait tells each phase apart, and goes on in those that are not over") {
  CHECK(exit_in("Completed") == 0);
  CHECK(exit_in("Failed") == 1);
  CHECK(exit_in("FailedValidation") == 1);
  CHECK(exit_in("PartiallyFailed") == 3);
  for (const char* phase :
       {"New", "InProgress", "Uploading", "UploadingPartialFailure", "Deleting", "SomethingNewer"})
    CHECK_FALSE(exit_in(phase));
  CHECK_FALSE(exit_in("Completed", WaitGoal::deleted));
  CHECK(exit_of_gone(WaitGoal::deleted, true) == 0);
  CHECK(exit_of_gone(WaitGoal::terminal, true) == 5);
  CHECK(exit_of_gone(WaitGoal::completed, true) == 5);
  CHECK(exit_of_gone(WaitGoal::deleted, false) == 4);
}

TEST_CASE("the server's own words and code are kept, escaped, with a hint in any case") {
  const auto error = error_of_reply(
      409,
      R"({"code":"sealed","message":"backup 'x' is sealed\u001b[2J","field":"spec","hint":""})",
      Daemon::controller);
  CHECK(error.code == ErrorCode::sealed);
  CHECK(error.field == "spec");
  CHECK(error.message.find('\x1b') == error.message.npos);
  CHECK(info(error.code).exit_code == 1);
}

TEST_CASE("answers without an Error document still get the exit code of their status") {
  const auto code = [](int status) {
    return info(error_of_reply(status, "<html>", Daemon::agent).code).exit_code;
  };
  CHECK(code(404) == 4);
  CHECK(code(410) == 4);
  CHECK(code(403) == 77);
  CHECK(code(409) == 1);
  CHECK(code(500) == 1);
  CHECK(code(503) == 1);
}

TEST_CASE("item flags are taken apart, and a wrong one says what is wrong") {
  CHECK(parse_item_flag("paths/srv")->dump() == R"({"item":"paths/srv"})");
  CHECK(parse_item_flag("paths/srv,snapshot=s=1,volume=v,parts=3")->dump() ==
        R"({"item":"paths/srv","parts":3,"snapshotID":"s=1","volumeID":"v"})");
  for (const char* bad : {"", ",snapshot=s", "a/b,", "a/b,snapshot", "a/b,snapshot=",
                          "a/b,colour=red", "a/b,parts=0", "a/b,parts=x", "a/b,parts=-1"}) {
    const auto item = parse_item_flag(bad);
    REQUIRE_FALSE(item);
    CHECK(item.error().code == ErrorCode::usage);
  }
}

TEST_CASE("manifests may be one object, an array or a List") {
  CHECK(parse_manifests(R"({"kind":"Pod"})", "f")->size() == 1);
  CHECK(parse_manifests(R"([{"kind":"Pod"},{"kind":"Pod"}])", "f")->size() == 2);
  CHECK(parse_manifests(R"({"kind":"List","items":[{"kind":"Pod"}]})", "f")->size() == 1);
  for (const char* bad : {"", "kind: Pod", "[]", "[1]", "3", R"({"items":[]})"})
    CHECK(parse_manifests(bad, "f").error().code == ErrorCode::usage);
}

TEST_CASE("paths to the server encode what a name may not hold") {
  CHECK(backup_path("a/b c") == "/v1/backups/a%2Fb%20c");
  CHECK(with_query("/v1/uploads", "backup", "a&b") == "/v1/uploads?backup=a%26b");
  CHECK(with_query("/v1/uploads?watch=1", "backup", "x") == "/v1/uploads?watch=1&backup=x");
  CHECK(with_query("/v1/uploads", "backup", "") == "/v1/uploads");
}

TEST_CASE("only hex of four to sixteen digits can be an upload's id") {
  CHECK(looks_like_upload_id("3fa9"));
  CHECK(looks_like_upload_id("0123456789abcdef"));
  for (const char* no : {"3fa", "nightly", "3FA9", "0123456789abcdef0", "3fa9/"})
    CHECK_FALSE(looks_like_upload_id(no));
}

TEST_CASE("a mistyped word finds the one that was meant, and no far one") {
  const std::vector<std::string> words = {"get", "describe", "watch", "--backup"};
  CHECK(nearest_word("gte", words) == "get");
  CHECK(nearest_word("--bakup", words) == "--backup");
  CHECK(nearest_word("frobnicate", words).empty());
  CHECK(nearest_word(std::string(10'000, 'x'), words).empty());
}
