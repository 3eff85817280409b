// bad_requests_test.cpp - every way to ask wrongly has its status, its code and its field.
#include <catch2/catch.hpp>

#include "tests/unit/api/controller_rig.hpp"

using namespace plimsoll;
using namespace plimsoll::test;

namespace {

struct BadRequest {
  const char* why;
  const char* method;
  std::string path;
  std::string body;
  int status;
  const char* code;
  const char* field;
};

std::vector<BadRequest> malformed() {
  const std::string create = "/v1/backups";
  const std::string item = "/v1/backups/nightly/items/";
  return {
      {"no such path", "GET", "/v1/nothing", "", 404, "not_found", ""},
      {"a trailing slash", "GET", "/v1/backups/", "", 404, "not_found", ""},
      {"metrics are not here yet", "GET", "/metrics", "", 404, "not_found", ""},
      {"no such verb", "POST", "/v1/backups/nightly:explode", "{}", 404, "not_found", ""},
      {"wrong method", "PATCH", "/v1/backups", "", 405, "method", ""},
      {"GET of a verb", "GET", "/v1/backups/nightly:seal", "", 405, "method", ""},
      {"NUL in the path", "GET", "/v1/backups/a%00b", "", 400, "bad_request", ""},
      {"control byte in the path", "GET", "/v1/backups/a%0Ab", "", 400, "bad_request", ""},
      {"broken escape", "GET", "/v1/backups/a%zz", "", 400, "bad_request", ""},
      {"bad UTF-8 in the path", "GET", "/v1/backups/%ff", "", 400, "bad_request", ""},
      {"no JSON", "POST", create, "{", 400, "bad_request", ""},
      {"two values", "POST", create, "{} {}", 400, "bad_request", ""},
      {"no object", "POST", create, "[]", 400, "bad_request", ""},
      {"bad UTF-8 in JSON", "POST", create, "{\"a\":\"\xff\"}", 400, "bad_request", ""},
      {"too deep", "POST", create, std::string(40, '[') + std::string(40, ']'), 400, "bad_request",
       ""},
      {"no name", "POST", create, "{}", 400, "bad_request", "metadata.name"},
      {"a name of the wrong type", "POST", create, R"({"metadata":{"name":7}})", 400, "bad_request",
       "metadata.name"},
      {"a name that is none", "POST", create, R"({"metadata":{"name":"Nightly!"}})", 400,
       "bad_request", "metadata.name"},
      {"unknown field", "POST", create, R"({"metdata":{}})", 400, "bad_request", "metdata"},
      {"unknown field below", "POST", create, R"({"metadata":{"name":"a","labels":{}}})", 400,
       "bad_request", "metadata.labels"},
      {"unknown seal", "POST", create, R"({"metadata":{"name":"a"},"spec":{"seal":"never"}})", 400,
       "bad_request", "spec.seal"},
      {"wrong kind", "POST", create, R"({"kind":"Pod","metadata":{"name":"a"}})", 400,
       "bad_request", "kind"},
      {"items that are no list", "POST", create, R"({"metadata":{"name":"a"},"spec":{"items":{}}})",
       400, "bad_request", "spec.items"},
      {"an item that is none", "POST", create,
       R"({"metadata":{"name":"a"},"spec":{"items":[{"item":"paths/x"},{"item":"x"}]}})", 400,
       "bad_request", "spec.items[1].item"},
      {"an unknown field of an item", "POST", create,
       R"({"metadata":{"name":"a"},"spec":{"items":[{"item":"paths/x","snapshotId":"s"}]}})", 400,
       "bad_request", "spec.items[0].snapshotId"},
      {"negative parts", "PUT", item + "paths%2Fx", R"({"parts":-1})", 400, "bad_request", "parts"},
      {"parts with a fraction", "PUT", item + "paths%2Fx", R"({"parts":1.5})", 400, "bad_request",
       "parts"},
      {"a snapshot id too long", "PUT", item + "paths%2Fx",
       R"({"snapshotID":")" + std::string(300, 's') + "\"}", 400, "bad_request", "snapshotID"},
      {"a control byte in an id", "PUT", item + "paths%2Fx", R"({"snapshotID":"a\u0007"})", 400,
       "bad_request", "snapshotID"},
      {"an item in the path that is none", "PUT", item + "nonsense", "{}", 400, "bad_request",
       "item"},
      {"an item with dots", "PUT", item + "paths%2F..", "{}", 400, "bad_request", "item"},
      {"unknown create", "PUT", item + "paths%2Fx?create=maybe", "{}", 400, "bad_request",
       "create"},
      {"a made backup needs a name", "PUT", "/v1/backups/No/items/paths%2Fx?create=auto", "{}", 400,
       "bad_request", "backup"},
      {"unknown outcome", "POST", "/v1/backups/nightly:seal", R"({"outcome":"good"})", 400,
       "bad_request", "outcome"},
      {"errors that are no texts", "POST", "/v1/backups/nightly:seal", R"({"errors":[1]})", 400,
       "bad_request", "errors[0]"},
      {"allowEmpty of the wrong type", "POST", "/v1/backups/nightly:seal",
       R"({"allowEmpty":"yes"})", 400, "bad_request", "allowEmpty"},
      {"unknown query", "GET", "/v1/backups?fase=New", "", 400, "bad_request", "fase"},
      {"query given twice", "GET", "/v1/backups?name=a&name=b", "", 400, "bad_request", "name"},
      {"unknown phase", "GET", "/v1/backups?phase=Sleeping", "", 400, "bad_request", "phase"},
      {"unknown state", "GET", "/v1/uploads?state=Sleeping", "", 400, "bad_request", "state"},
      {"limit of nothing", "GET", "/v1/uploads?limit=0", "", 400, "bad_request", "limit"},
      {"limit that is no number", "GET", "/v1/uploads?limit=ten", "", 400, "bad_request", "limit"},
      {"pages of a watch", "GET", "/v1/uploads?watch=1&limit=5", "", 400, "bad_request", "limit"},
      {"unknown view", "GET", "/v1/backups/nightly?view=half", "", 400, "bad_request", "view"},
      {"a query where none is known", "GET", "/v1/nodes?x=1", "", 400, "bad_request", "x"},
      {"a query on a change", "DELETE", "/v1/backups/nightly?force=1", "", 400, "bad_request",
       "force"},
      {"a body over 1 MiB", "POST", create, "\"" + std::string(1'100'000, 'x') + "\"", 413,
       "too_large", ""},
  };
}

std::vector<BadRequest> impossible() {
  return {
      {"unknown backup", "GET", "/v1/backups/never", "", 404, "not_found", ""},
      {"unknown upload", "GET", "/v1/uploads/0123456789abcdef", "", 404, "not_found", ""},
      {"item of an unknown backup", "PUT", "/v1/backups/never/items/paths%2Fx", "{}", 404,
       "not_found", ""},
      {"seal of an unknown backup", "POST", "/v1/backups/never:seal", "{}", 404, "not_found", ""},
      {"cancel of an unknown backup", "POST", "/v1/backups/never:cancel", "", 404, "not_found", ""},
      {"cancel of an unknown upload", "POST", "/v1/uploads/0123456789abcdef:cancel", "", 404,
       "not_found", ""},
      {"delete of an unknown backup", "DELETE", "/v1/backups/never", "", 404, "not_found", ""},
      {"a taken name", "POST", "/v1/backups", R"({"metadata":{"name":"open"}})", 409, "exists",
       "metadata.name"},
      {"an item with other attributes", "PUT", "/v1/backups/open/items/paths%2Fx",
       R"({"snapshotID":"other"})", 409, "conflict", ""},
      {"seal without items", "POST", "/v1/backups/empty:seal", "{}", 409, "empty", ""},
      {"an item after the seal", "PUT", "/v1/backups/sealed/items/paths%2Fnew", "{}", 409, "sealed",
       ""},
      {"an item of a backup that is over", "PUT", "/v1/backups/over/items/paths%2Fnew", "{}", 409,
       "exists", ""},
      {"a deleted backup", "GET", "/v1/backups/gone", "", 410, "gone", ""},
  };
}

void check_refused(ControllerRig& rig, const BadRequest& bad) {
  const auto answer = rig.call(bad.method, bad.path, bad.body);
  INFO(bad.why << ": " << answer.text);
  CHECK(answer.status == bad.status);
  REQUIRE(answer.body.is_object());
  CHECK(answer.body.value("kind", "") == "Error");
  CHECK(answer.body.value("apiVersion", "") == "plimsoll.dev/v1");
  CHECK(answer.body.value("code", "") == bad.code);
  CHECK_FALSE(answer.body.value("message", "").empty());
  CHECK(answer.body.value("field", "") == bad.field);
}

}  // namespace

TEST_CASE("a malformed request is refused with what is wrong and where, and changes nothing") {
  ControllerRig rig;
  for (const auto& bad : malformed())
    check_refused(rig, bad);
  CHECK(rig.get("/v1/backups").body["items"].empty());
  CHECK(rig.disk.backups.empty());
}

TEST_CASE("a well-formed request that cannot be done says why") {
  ControllerRig rig;
  rig.done("POST", "/v1/backups", R"({"metadata":{"name":"open"}})");
  rig.done("PUT", "/v1/backups/open/items/paths%2Fx", R"({"snapshotID":"s"})");
  rig.done("POST", "/v1/backups", R"({"metadata":{"name":"empty"}})");
  for (const std::string name : {"sealed", "over", "gone"}) {
    rig.done("POST", "/v1/backups",
             R"({"metadata":{"name":")" + name + R"("},"spec":{"items":[{"item":"paths/x"}]}})");
    rig.done("POST", "/v1/backups/" + name + ":seal", "{}");
  }
  rig.done("POST", "/v1/backups/over:cancel");
  CHECK(rig.get("/v1/backups/over").body["status"]["phase"] == "PartiallyFailed");
  rig.done("DELETE", "/v1/backups/gone");
  for (const auto& bad : impossible())
    check_refused(rig, bad);
  CHECK(rig.get("/v1/backups/gone").body.contains("deletedAt"));
}

TEST_CASE("a hint names the nearest known field") {
  ControllerRig rig;
  const auto answer = rig.call("POST", "/v1/backups", R"({"metadata":{"nam":"a"}})");
  CHECK(answer.body["hint"] == "did you mean 'name'?");
  CHECK(rig.get("/v1/backups?limt=1").body["hint"] == "did you mean 'limit'?");
}

TEST_CASE("text from outside is escaped in errors") {
  ControllerRig rig;
  const auto answer = rig.call("POST", "/v1/backups", "{\"\\u001b[31mred\":1}");
  CHECK(answer.status == 400);
  CHECK(answer.text.find('\x1b') == std::string::npos);
  CHECK(answer.text.find("\\u001b") == std::string::npos);
}
