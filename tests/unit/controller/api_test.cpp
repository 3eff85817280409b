// api_test.cpp - what clients may change, who may, and what they are answered.
#include <catch2/catch.hpp>

#include <algorithm>

#include "tests/unit/controller/world.hpp"

namespace plimsoll::test {
namespace {

constexpr Caller kRoot{0, true};
constexpr Caller kUser{1000, false};
constexpr Caller kOther{2000, false};

ErrorCode code_of(const ApiResult& result) {
  return result ? ErrorCode::internal : result.error().error.code;
}

ApiResult add_spec(World& world, const std::string& backup, ItemSpec spec,
                   CreateMode create = CreateMode::no, Caller caller = kRoot) {
  AddItemCall add;
  add.backup = backup;
  add.item = std::move(spec);
  add.create = create;
  return world.call(add, caller);
}

TEST_CASE("creating a backup answers 201, and with the same UID again 200") {
  World world;
  CreateBackupCall create;
  create.name = "nightly";
  create.uid = "11111111-2222-4333-8444-555555555555";
  const auto first = world.call(create);
  REQUIRE(why(first) == "");
  CHECK(first->kind == AnswerKind::created);
  CHECK(first->backup->uid == create.uid);
  const auto again = world.call(create);
  REQUIRE(why(again) == "");
  CHECK(again->kind == AnswerKind::ok);
  create.uid.clear();
  CHECK(code_of(world.call(create)) == ErrorCode::exists);
  create.uid = "11111111-2222-4333-8444-555555555555";
  create.name = "other";
  CHECK(code_of(world.call(create)) == ErrorCode::conflict);
}

TEST_CASE("a malformed name, item or number is refused, and nothing is stored") {
  World world;
  CHECK(code_of(world.create("No_Good")) == ErrorCode::bad_request);
  CHECK(code_of(world.create("b", SealMode::manual, {"no-slash"})) == ErrorCode::bad_request);
  CHECK(code_of(world.create("b", SealMode::manual, {"paths/a", "paths/a"})) ==
        ErrorCode::bad_request);
  const auto parts = add_spec(world, "b", {"paths/a", "", "", 1'000'000, ""}, CreateMode::auto_);
  CHECK(code_of(parts) == ErrorCode::bad_request);
  const auto snapshot = add_spec(world, "b", {"paths/a", "a\nb", "", 0, ""}, CreateMode::auto_);
  REQUIRE(code_of(snapshot) == ErrorCode::bad_request);
  CHECK(snapshot.error().error.field == "snapshotID");
  CHECK(world.stored.backups().empty());
}

TEST_CASE("adding the same item again is fine, other attributes are a conflict") {
  World world;
  REQUIRE(world.create("b"));
  const auto first = add_spec(world, "b", {"paths/a", "snap-1", "", 0, ""});
  REQUIRE(why(first) == "");
  CHECK(first->kind == AnswerKind::created);
  CHECK(first->upload->id.size() == 16);
  const auto same = add_spec(world, "b", {"paths/a", "snap-1", "", 0, ""});
  REQUIRE(why(same) == "");
  CHECK(same->kind == AnswerKind::ok);
  CHECK(same->upload->id == first->upload->id);
  CHECK(add_spec(world, "b", {"paths/a", "", "", 0, ""}));
  CHECK(code_of(add_spec(world, "b", {"paths/a", "snap-2", "", 0, ""})) == ErrorCode::conflict);
}

TEST_CASE("attributes that were not said at first can be said later") {
  World world;
  REQUIRE(world.create("b", SealMode::manual, {"paths/a"}));
  REQUIRE(why(add_spec(world, "b", {"paths/a", "snap-1", "", 2, ""})) == "");
  CHECK(world.upload("b", "paths/a").snapshot_id == "snap-1");
  CHECK(world.upload("b", "paths/a").parts == 2);
}

TEST_CASE("what is sealed takes no more items, and what is over asks for another name") {
  World world;
  REQUIRE(world.create("b", SealMode::manual, {"paths/a"}));
  REQUIRE(world.seal("b"));
  CHECK(code_of(world.add("b", "paths/b")) == ErrorCode::sealed);
  CHECK(code_of(world.add("b", "paths/b", CreateMode::auto_)) == ErrorCode::sealed);
  CHECK(world.add("b", "paths/a", CreateMode::auto_));
  world.connect();
  world.report(ended(running(1, "b", "paths/a"), Outcome::durable));
  REQUIRE(world.phase("b") == BackupPhase::completed);
  CHECK(code_of(world.add("b", "paths/a", CreateMode::auto_)) == ErrorCode::exists);
}

TEST_CASE("adding to no backup is not found, or makes one where that is asked for") {
  World world;
  CHECK(code_of(world.add("b", "paths/a")) == ErrorCode::not_found);
  REQUIRE(world.add("b", "paths/a", CreateMode::manual));
  CHECK(world.backup("b").seal == SealMode::manual);
  CHECK(world.phase("b") == BackupPhase::in_progress);
  REQUIRE(world.add("c", "paths/a", CreateMode::auto_));
  CHECK(world.backup("c").seal == SealMode::auto_);
  CHECK(world.backup("c").source == BackupSource::run);
}

TEST_CASE("an empty backup can be sealed only where that is allowed, and is then Completed") {
  World world;
  REQUIRE(world.create("b"));
  CHECK(code_of(world.seal("b")) == ErrorCode::empty);
  const auto sealed = world.seal("b", SealOutcome::ok, true);
  REQUIRE(why(sealed) == "");
  CHECK(sealed->backup->phase == BackupPhase::completed);
}

TEST_CASE("sealing again changes nothing") {
  World world;
  REQUIRE(world.create("b", SealMode::manual, {"paths/a"}));
  REQUIRE(world.seal("b"));
  REQUIRE(world.seal("b", SealOutcome::failed));
  CHECK(world.phase("b") == BackupPhase::uploading);
}

TEST_CASE("a backup's limits refuse what is too much") {
  ControllerSettings settings;
  settings.limits.backups = 1;
  settings.limits.items_per_backup = 1;
  World world(settings);
  REQUIRE(world.create("b", SealMode::manual, {"paths/a"}));
  CHECK(code_of(world.create("c")) == ErrorCode::busy);
  CHECK(code_of(world.add("c", "paths/a", CreateMode::auto_)) == ErrorCode::busy);
  CHECK(code_of(world.add("b", "paths/b")) == ErrorCode::busy);
}

TEST_CASE("an ordinary user may make a backup by `run`, owns it, and changes no other") {
  World world;
  REQUIRE(world.create("roots", SealMode::manual, {"paths/a"}));
  CreateBackupCall create;
  create.name = "b";
  CHECK(code_of(world.call(create, kUser)) == ErrorCode::forbidden);
  REQUIRE(add_spec(world, "b", {"paths/a", "", "", 0, ""}, CreateMode::manual, kUser));
  REQUIRE(add_spec(world, "b", {"paths/b", "", "", 0, ""}, CreateMode::manual, kUser));
  CHECK(world.backup("b").owner_uid == 1000);
  CHECK(code_of(add_spec(world, "b", {"paths/c", "", "", 0, ""}, CreateMode::auto_, kOther)) ==
        ErrorCode::forbidden);
  CHECK(code_of(add_spec(world, "roots", {"paths/c", "", "", 0, ""}, CreateMode::auto_, kUser)) ==
        ErrorCode::forbidden);
  CHECK(code_of(world.call(SealCall{"b", SealOutcome::ok, {}, false}, kOther)) ==
        ErrorCode::forbidden);
  CHECK(world.call(SealCall{"b", SealOutcome::ok, {}, false}, kUser));
  CHECK(code_of(world.call(DeleteBackupCall{"roots"}, kUser)) == ErrorCode::forbidden);
}

TEST_CASE("an upload is cancelled by its owner, its mover's owner and admins only") {
  World world;
  REQUIRE(world.create("b", SealMode::manual, {"paths/a", "paths/b"}));
  world.connect();
  world.report(running(1, "b", "paths/a"));  // its mover runs as uid 1000
  const auto a = world.upload("b", "paths/a").id;
  const auto b = world.upload("b", "paths/b").id;
  CHECK(code_of(world.call(CancelUploadCall{a, ""}, kOther)) == ErrorCode::forbidden);
  CHECK(code_of(world.call(CancelUploadCall{b, ""}, kUser)) == ErrorCode::forbidden);
  const auto canceled = world.call(CancelUploadCall{a, "wrong disk"}, kUser);
  REQUIRE(why(canceled) == "");
  CHECK(canceled->kind == AnswerKind::accepted);
  CHECK(canceled->upload->view.state == UploadState::cancelling);
  CHECK(canceled->upload->view.reason == "wrong disk");
}

TEST_CASE(
    "cancelling what is over is answered 200 and changes nothing; an unknown id is an error") {
  World world;
  REQUIRE(world.create("b", SealMode::manual, {"paths/a"}));
  world.connect();
  world.report(ended(running(1, "b", "paths/a"), Outcome::durable));
  const auto canceled = world.call(CancelUploadCall{world.upload("b", "paths/a").id, ""});
  REQUIRE(why(canceled) == "");
  CHECK(canceled->kind == AnswerKind::ok);
  CHECK(canceled->upload->view.state == UploadState::completed);
  CHECK(code_of(world.call(CancelUploadCall{"0123456789abcdef", ""})) == ErrorCode::not_found);
}

TEST_CASE("an answer is given only after the commit that holds the change") {
  World world;
  world.hold_commits = true;
  CHECK(code_of(world.create("b")) == ErrorCode::timeout);
  CHECK(list_backups(world.state, {}).items.empty());
  world.effects.clear();
  world.finish_commit();
  REQUIRE(list_backups(world.state, {}).items.size() == 1);
  const auto replied = std::any_of(world.effects.begin(), world.effects.end(), [](const auto& one) {
    return std::holds_alternative<Reply>(one) && std::get<Reply>(one).result.has_value();
  });
  CHECK(replied);
}

TEST_CASE("while the store fails every change is answered store_unavailable, and reads go on") {
  World world;
  REQUIRE(world.create("a"));
  world.hold_commits = true;
  (void)world.create("b");
  world.effects.clear();
  world.fail_commit();
  REQUIRE(std::holds_alternative<Reply>(world.effects.back()));
  CHECK(code_of(std::get<Reply>(world.effects.back()).result) == ErrorCode::store_unavailable);
  CHECK(code_of(world.create("c")) == ErrorCode::store_unavailable);
  CHECK(list_backups(world.state, {}).items.size() == 1);
  CHECK_FALSE(store_is_available(world.state));
  world.advance(seconds(1));  // tries again
  REQUIRE(world.held.has_value());
  world.hold_commits = false;
  world.finish_commit();
  CHECK(store_is_available(world.state));
  CHECK(world.create("c"));
}

}  // namespace
}  // namespace plimsoll::test
