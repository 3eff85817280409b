// query_rules_test.cpp - who may change what, which query fields mean what, and globs.
#include <catch2/catch.hpp>

#include "agent/io/access.hpp"
#include "agent/io/segment_policy.hpp"
#include "agent/io/upload_query.hpp"

using namespace plimsoll;

namespace {

PeerCredentials peer(uid_t uid, std::vector<gid_t> groups = {}) {
  return {uid, uid, 1, std::move(groups)};
}

}  // namespace

TEST_CASE(
    "root, the daemon's user, admins by uid or group, and the owner may cancel; nobody else") {
  const AccessRules rules{500, {501}, {600}};
  const std::vector<uid_t> owner = {700};
  CHECK(may_cancel(rules, peer(0), owner));
  CHECK(may_cancel(rules, peer(500), owner));
  CHECK(may_cancel(rules, peer(501), owner));
  CHECK(may_cancel(rules, peer(502, {600}), owner));
  CHECK(may_cancel(rules, peer(700), owner));
  CHECK_FALSE(may_cancel(rules, peer(502), owner));
  CHECK_FALSE(may_cancel(rules, peer(502, {700}), owner));  // a group is no user
  CHECK_FALSE(may_cancel(rules, PeerCredentials{}, owner));
  CHECK_FALSE(may_cancel(rules, peer(700), {700, 701}));  // parts of somebody else's too
  CHECK_FALSE(may_cancel(rules, peer(700), {}));
  CHECK_FALSE(is_admin(rules, peer(700)));
}

TEST_CASE("query fields are read strictly, with one clear message each") {
  const auto query = parse_upload_query(
      {{"backup", "nightly"}, {"state", "Running"}, {"limit", "10"}, {"watch", "1"}});
  REQUIRE(query);
  CHECK(query->backup == "nightly");
  CHECK(query->state == UploadState::running);
  CHECK(query->limit == 10);
  CHECK(query->watch);
  const std::vector<QueryFields> wrong = {
      {{"limit", "0"}},       {{"limit", "1001"}}, {{"limit", "9x"}},  {{"limit", "-1"}},
      {{"state", "running"}}, {{"watch", "yes"}},  {{"orphans", "1"}}, {{"continue", "abc"}},
      {{"colour", "red"}},    {{"continue", ""}}};
  for (const auto& fields : wrong) {
    const auto refused = parse_upload_query(fields);
    CAPTURE(fields.front().first, fields.front().second);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::bad_request);
    CHECK(refused.error().message.find(fields.front().first) != std::string::npos);
  }
}

TEST_CASE("globs know star and question mark and stay fast on hostile ones") {
  CHECK(glob_fits("*", ""));
  CHECK(glob_fits("*", "anything/at-all"));
  CHECK(glob_fits("paths/*", "paths/srv"));
  CHECK_FALSE(glob_fits("paths/*", "path/srv"));
  CHECK(glob_fits("a?c", "abc"));
  CHECK_FALSE(glob_fits("a?c", "ac"));
  CHECK(glob_fits("*a*b*c", "xxaxxbxxc"));
  CHECK_FALSE(glob_fits("", "x"));
  CHECK(glob_fits("", ""));
  std::string stars;
  for (int i = 0; i < 60; ++i)
    stars += "a*";
  CHECK_FALSE(glob_fits(stars + "b", std::string(600, 'a')));
}
