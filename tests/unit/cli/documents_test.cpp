// documents_test.cpp - the gate for what a server says: tolerant, bounded, escaped.
#include "cli/documents.hpp"

#include <catch2/catch.hpp>

#include "rows.hpp"

using namespace plimsoll;
using namespace plimsoll::cli;
using nlohmann::json;

TEST_CASE("an upload is read with what it says, and unknown stays unknown") {
  const auto row = sample_uploads()[2];
  CHECK(row.id == "aa00000000000003");
  CHECK(row.item == "persistentvolumeclaims/crm/mssql-0");
  CHECK(row.state == UploadState::running);
  CHECK(row.done == 120 * kGiB);
  CHECK_FALSE(row.total);
  CHECK_FALSE(row.percent);
  CHECK_FALSE(row.eta_seconds);
  CHECK(row.rate == 96.0 * kMiB);
  CHECK_FALSE(row.over());
}

TEST_CASE("nothing that a server sends throws, and what is of the wrong type is not known") {
  for (const char* text :
       {"null", "1", "\"x\"", "[]", "{}", R"({"metadata":1,"spec":[],"status":"x"})",
        R"({"metadata":{"id":7},"status":{"state":1,"itemsCompleted":"9","history":{}}})",
        R"({"status":{"counts":[1],"totals":[],"uploadProgress":[],"errors":"x"}})",
        R"({"status":{"itemsCompleted":-5,"itemsToComplete":18446744073709551615,"since":"x"}})",
        R"({"status":{"uploadProgress":{"a":null,"b":[1]},"errors":[null,1,"text"]}})"}) {
    const auto document = json::parse(text);
    const auto upload = read_upload(document);
    const auto backup = read_backup(document);
    CHECK(read_node(document).uploads == 0);
    CHECK(upload.done == 0);
    CHECK(backup.done == 0);
  }
}

TEST_CASE("a state of a newer daemon keeps its word and is not taken for another") {
  const auto row = read_upload(upload_document("aa", "paths/x", "Hibernating"));
  CHECK_FALSE(row.state);
  CHECK(row.state_word == "Hibernating");
  CHECK_FALSE(row.over());
}

TEST_CASE("control characters never get through, in values or in keys") {
  const std::string evil = "a\x1b[2J\x07\u202e\nb";
  auto document = upload_document("aa", evil, "Running", {{"err", evil}, {"reason", evil}});
  const auto row = read_upload(document);
  for (const auto& text : {row.item, row.err, row.reason}) {
    CHECK(text.find('\x1b') == text.npos);
    CHECK(text.find('\n') == text.npos);
    CHECK(text.find("\u202e") == text.npos);
  }
  document["status"][evil] = 1;
  const auto safe = escaped_copy(document).dump();
  CHECK(safe.find('\x1b') == safe.npos);
  CHECK(safe.find("\\u001b") == safe.npos);
}

TEST_CASE("texts from a server are bounded") {
  const auto row = read_upload(upload_document("aa", std::string(1'000'000, 'x'), "Running"));
  CHECK(row.item.size() <= 4096);
}

TEST_CASE("a backup is read with its counts, totals and map") {
  auto document = backup_document(
      "nightly", "PartiallyFailed", {{"Completed", 2}, {"Failed", 1}},
      {{"itemsCompleted", 5}, {"uploads", 3}, {"uploadsOver", 3}, {"unknown", 1}},
      {{"errors",
        {{{"time", "2026-12-01T11:00:00Z"}, {"source", "paths/x"}, {"text", "it broke"}}}},
       {"leftBehind",
        {{{"segment", "12ab"}, {"item", "paths/x"}, {"node", "n"}, {"answered", false}}}},
       {"uploadProgress",
        {{"paths/x", upload_document("", "", "Failed", {{"err", "it broke"}})["status"]}}}});
  const auto backup = read_backup(document);
  CHECK(backup.phase == BackupPhase::partially_failed);
  CHECK(backup.over());
  CHECK(backup.count(UploadState::completed) == 2);
  CHECK(backup.count(UploadState::running) == 0);
  CHECK_FALSE(backup.total);
  REQUIRE(backup.errors.size() == 1);
  CHECK(backup.errors[0].text == "it broke");
  REQUIRE(backup.left_behind.size() == 1);
  CHECK(backup.left_behind[0] == "paths/x on n, segment 12ab: has not answered the cancel");
  REQUIRE(backup.upload_rows.size() == 1);
  CHECK(backup.upload_rows[0].item == "paths/x");
  CHECK(backup.upload_rows[0].state == UploadState::failed);
}
