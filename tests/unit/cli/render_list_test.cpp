// render_list_test.cpp - golden tables of `plimsoll get` and pages of `plimsoll describe`.
#include "cli/render_list.hpp"

#include <catch2/catch.hpp>

#include "cli/render_describe.hpp"
#include "cli/render_words.hpp"
#include "golden.hpp"
#include "rows.hpp"

using namespace plimsoll;
using namespace plimsoll::cli;

namespace {

ListLook look(std::size_t width, bool wide = false) {
  return {{width, 0, false, false}, noon(), wide, true, 0};
}

}  // namespace

TEST_CASE("get uploads in a pipe") {
  const auto text = text_of(render_uploads(sample_uploads(), look(0)));
  CHECK(text == golden("get-uploads", text));
}

TEST_CASE("get uploads at 80 columns") {
  const auto text = text_of(render_uploads(sample_uploads(), look(80)));
  CHECK(text == golden("get-uploads-80", text));
}

TEST_CASE("get backups says what is not restorable yet") {
  auto done = read_backup(backup_document(
      "weekly", "Completed", {{"Completed", 1}},
      {{"itemsCompleted", kGiB}, {"itemsToComplete", kGiB}, {"uploads", 1}, {"uploadsOver", 1}}));
  auto failed =
      read_backup(backup_document("odd", "PartiallyFailed", {{"Completed", 1}, {"Failed", 1}},
                                  {{"uploads", 2}, {"uploadsOver", 2}, {"unknown", 1}}));
  const auto text = text_of(render_backups({sample_backup(), done, failed}, look(0)));
  CHECK(text == golden("get-backups", text));
}

TEST_CASE(
    "a Completed backup is at 100 % also where its bytes were never counted, and no other is") {
  const auto of = [](const char* phase) {
    return read_backup(backup_document(
        "b", phase, {{"Completed", 2}},
        {{"itemsCompleted", 7}, {"itemsToComplete", 7}, {"uploads", 2}, {"uploadsOver", 2}}));
  };
  auto counted_in_percent = of("Completed");
  counted_in_percent.total.reset();
  counted_in_percent.unknown = 2;
  CHECK(percent_of_backup(counted_in_percent) == 100.0);
  CHECK(percent_of_backup(of("Uploading")) == 99.9);
  counted_in_percent.phase = BackupPhase::uploading;
  CHECK_FALSE(percent_of_backup(counted_in_percent));
}

TEST_CASE("get nodes") {
  const NodeRow node{"node-a", "00ff", "0.1.0", 7, {Freshness::late, 4}, 2};
  const auto text = text_of(render_nodes({node}, look(0)));
  CHECK(text == golden("get-nodes", text));
}

TEST_CASE("describe backup has everything on one screen") {
  auto backup = sample_backup();
  backup.upload_rows = sample_uploads();
  backup.errors = {{at_time("2026-12-01T11:59:51Z"), "paths/x", "it broke"}};
  const auto text = text_of(render_backup(backup, {{100, 0, false, false}, noon()}));
  CHECK(text == golden("describe-backup", text));
}

TEST_CASE("describe upload tells what is known and leaves out what is not") {
  auto upload = sample_uploads()[1];
  upload.history = {{at_time("2026-12-01T11:50:00Z"), "info", "opened"},
                    {at_time("2026-12-01T11:51:00Z"), "warning", "slow"}};
  upload.bytes_read = 515 * kGiB;
  const auto text = text_of(render_upload(upload, {{80, 0, false, false}, noon()}));
  CHECK(text == golden("describe-upload", text));
}
