// upload_table_test.cpp - attempts and parts made one upload, as this node's API shows it.
#include <catch2/catch.hpp>

#include "agent/core/upload_table.hpp"
#include "tests/unit/agent/core_rig.hpp"

using namespace plimsoll;
using namespace plimsoll::test;

namespace {

Identity item(const std::string& name, const std::string& part = "", std::uint32_t parts = 0) {
  Identity identity;
  identity.backup = "nightly";
  identity.item = name;
  identity.part = part;
  identity.parts_total = parts;
  return identity;
}

UploadDocument only(const CoreRig& rig) {
  REQUIRE(rig.state.attempts.uploads().size() == 1);
  return upload_document(rig.state, rig.state.attempts.uploads().begin()->second, rig.moment);
}

AgentSettings alone() {
  auto settings = test_settings();
  settings.has_controller = false;
  return settings;
}

}  // namespace

TEST_CASE("two parts are one upload, durable when both are") {
  CoreRig rig;
  rig.found(1, ended_reading(Outcome::durable), item("paths/a", "p1", 2));
  CHECK_FALSE(only(rig).view.progress.completed);
  rig.found(2, reading_of(true, 1, 500), item("paths/a", "p2", 2));
  CHECK_FALSE(only(rig).view.progress.completed);
  rig.read(2, ended_reading(Outcome::durable));
  CHECK(only(rig).view.outcome == Outcome::durable);
}

TEST_CASE("the newest attempt counts, and the upload carries its id") {
  CoreRig rig;
  rig.found(1, ended_reading(Outcome::failed), item("paths/a"));
  rig.found(2, reading_of(true, 1, 500), item("paths/a"));
  const auto upload = only(rig);
  CHECK(upload.view.state == UploadState::running);
  CHECK(upload.view.attempts == 2);
  CHECK(upload.view.attempt == 2);
  CHECK(upload.id == to_hex(segment_id(2)).substr(0, 16));
}

TEST_CASE("an attempt without a name of any kind is an upload of its own") {
  CoreRig rig;
  rig.found(1, reading_of(true));
  rig.found(2, reading_of(true));
  CHECK(rig.state.attempts.uploads().size() == 2);
}

TEST_CASE("without a controller the agent runs lostAfter itself") {
  CoreRig rig(alone());
  rig.found(1, reading_of(false, 1, 500), item("paths/a"));
  rig.tick();
  CHECK(only(rig).view.state == UploadState::lost);
  const auto revision = rig.state.attempts.revision();
  rig.tick_after(std::chrono::minutes(2));
  CHECK(only(rig).view.state == UploadState::failed);
  CHECK(only(rig).view.progress.completed);
  CHECK(only(rig).view.progress.err.find("left without a result") != std::string::npos);
  CHECK(rig.state.attempts.revision() > revision);  // watchers are told
}

TEST_CASE("with a controller Lost stays Lost until the controller decides") {
  CoreRig rig;
  rig.found(1, reading_of(false, 1, 500), item("paths/a"));
  for (int i = 0; i < 10; ++i)
    rig.tick_after(std::chrono::minutes(5));
  CHECK(only(rig).view.state == UploadState::lost);
}

TEST_CASE("uploads are found by any attempt's id and by a beginning that fits only one") {
  CoreRig rig;
  rig.found(1, reading_of(true), item("paths/a"));
  rig.found(2, reading_of(true), item("paths/a"));
  rig.found(3, reading_of(true), item("paths/b"));
  const auto& attempts = rig.state.attempts;
  CHECK(find_upload(attempts, to_hex(segment_id(1)).substr(0, 16)).segments ==
        find_upload(attempts, to_hex(segment_id(2)).substr(0, 16)).segments);
  CHECK(find_upload(attempts, "0300").segments != nullptr);
  CHECK(find_upload(attempts, "03").segments == nullptr);  // too short to mean anything
  CHECK(find_upload(attempts, "ffff").segments == nullptr);
}

TEST_CASE("a segment that no longer verifies shows as retrieval error beside the last numbers") {
  CoreRig rig;
  rig.found(1, reading_of(true, 1, 500), item("paths/a"));
  for (int i = 0; i < 3; ++i)
    rig.apply(SegmentUnreadable{segment_id(1), SegmentFault::magic, true});
  const auto upload = only(rig);
  REQUIRE(upload.retrieval_error);
  CHECK(upload.view.progress.err.empty());
  CHECK(upload.view.progress.items_completed == 500);
}
