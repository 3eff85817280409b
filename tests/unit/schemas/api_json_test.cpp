// api_json_test.cpp - what HTTP clients read: unknown is absent, numbers are finite, texts are
// safe.
#include "schemas/api_json.hpp"

#include <catch2/catch.hpp>

using namespace plimsoll;

namespace {

UploadDocument running_upload() {
  UploadDocument upload;
  upload.id = "0123456789abcdef";
  upload.backup = "nightly";
  upload.item = "paths/srv";
  upload.view.state = UploadState::running;
  upload.view.progress.items_completed = 50;
  upload.view.progress.items_to_complete = 200;
  upload.view.rate = 10;
  return upload;
}

}  // namespace

TEST_CASE("times are RFC 3339 with milliseconds in UTC") {
  CHECK(rfc3339(WallTime(std::chrono::milliseconds(0))) == "1970-01-01T00:00:00.000Z");
  CHECK(rfc3339(WallTime(std::chrono::milliseconds(1764608460123))) == "2025-12-01T17:01:00.123Z");
  CHECK(rfc3339(WallTime(std::chrono::milliseconds(INT64_MAX))).size() == 24);
  CHECK(rfc3339(WallTime(std::chrono::milliseconds(INT64_MIN))).size() == 24);
}

TEST_CASE("a running upload shows percent, rate and ETA") {
  const auto status = upload_status_json(running_upload());
  CHECK(status["percent"] == 25.0);
  CHECK(status["etaSeconds"] == 15);
  CHECK(status["state"] == "Running");
  CHECK(status["err"] == "");
  CHECK_FALSE(status.contains("partStatus"));
  CHECK_FALSE(status.contains("bytesSent"));
}

TEST_CASE("an unknown total has neither percent nor ETA nor a total") {
  auto upload = running_upload();
  upload.view.progress.items_to_complete = 0;
  const auto status = upload_status_json(upload);
  CHECK_FALSE(status.contains("itemsToComplete"));
  CHECK_FALSE(status.contains("percent"));
  CHECK_FALSE(status.contains("etaSeconds"));
}

TEST_CASE("texts from outside are escaped, and time zero is absent") {
  auto upload = running_upload();
  upload.view.reason = "evil\x1b[31m";
  upload.view.progress.started = WallTime{};
  const auto status = upload_status_json(upload);
  CHECK(status["reason"] == "evil\\u{1b}[31m");
  CHECK_FALSE(status.contains("started"));
}

TEST_CASE("an error body names code, field and hint") {
  const auto body = error_json({ErrorCode::sealed, "backup 'nightly' is sealed", "wait", "spec"});
  CHECK(body["code"] == "sealed");
  CHECK(body["kind"] == "Error");
  CHECK(body["hint"] == "wait");
  CHECK(body["field"] == "spec");
}

TEST_CASE("JSON from outside is bounded in size and depth and never throws") {
  CHECK(parse_json("{\"a\":[1]}", "body"));
  CHECK(parse_json("{", "body").error().code == ErrorCode::bad_request);
  CHECK(parse_json(std::string(100000, '['), "body").error().code == ErrorCode::bad_request);
  CHECK(parse_json(std::string((1U << 20U) + 1, ' '), "body").error().code == ErrorCode::too_large);
  CHECK(parse_json("\"\xff\"", "body").error().code == ErrorCode::bad_request);
}
