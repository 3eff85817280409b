// call_body.cpp - one function per body.
#include "controller/io/api/call_body.hpp"

#include <nlohmann/json.hpp>

#include "controller/io/api/json_fields.hpp"
#include "controller/io/api/list_query.hpp"
#include "schemas/api_json.hpp"
#include "schemas/names.hpp"
#include "schemas/text_bounds.hpp"

namespace plimsoll {
namespace {

using nlohmann::json;

constexpr std::uint32_t kMaxParts = 4096;
constexpr std::size_t kMaxErrors = 100;  // of one seal
constexpr std::size_t kMaxTrackerBytes = 63;

// An empty body is an empty object.
Result<json> body_of(const HttpRequest& request) {
  if (request.body.empty()) return json(json::object());
  return parse_json(request.body, "the body");
}

Result<void> check_field(const Result<void>& checked, std::string_view field) {
  if (checked) return {};
  return fail(ErrorCode::bad_request, checked.error().message, checked.error().hint,
              std::string(field));
}

Result<void> check_item_field(const std::string& item, std::string_view field) {
  const auto parsed = parse_item(item);
  if (parsed) return {};
  return check_field(fail(parsed.error()), field);
}

// Attributes of an item, as they stand beside its name in both bodies.
void read_attributes(JsonFields& fields, ItemSpec& spec) {
  spec.snapshot_id = fields.text("snapshotID", kMaxSnapshotIdBytes);
  spec.volume_id = fields.text("volumeID", kMaxVolumeIdBytes);
  spec.parts = fields.number("parts", kMaxParts);
  spec.tracker = fields.text("tracker", kMaxTrackerBytes);
}

Result<ItemSpec> read_item(const json& value, const std::string& path) {
  JsonFields fields(value, path, {"item", "snapshotID", "volumeID", "parts", "tracker"});
  ItemSpec spec;
  spec.item = fields.text("item", kMaxItemBytes);
  read_attributes(fields, spec);
  if (fields.error()) return fail(*fields.error());
  if (auto checked = check_item_field(spec.item, fields.path_of("item")); !checked)
    return fail(checked.error());
  return spec;
}

Result<std::vector<ItemSpec>> read_items(JsonFields& spec) {
  std::vector<ItemSpec> items;
  const json* values = spec.array("items");
  if (values == nullptr) return items;
  for (const auto& value : *values) {
    auto item = read_item(value, spec.path_of("items[" + std::to_string(items.size()) + "]"));
    if (!item) return fail(item.error());
    items.push_back(std::move(*item));
  }
  return items;
}

// What clients may send along, as they got it from a GET.
void check_type(JsonFields& fields) {
  (void)fields.choice("apiVersion", {"plimsoll.dev/v1"});
  (void)fields.choice("kind", {"Backup"});
}

Result<ApiCall> create_backup(const json& body) {
  JsonFields fields(body, "", {"metadata", "spec", "apiVersion", "kind"});
  check_type(fields);
  const json nothing = json::object();
  const json* const metadata_value = fields.object("metadata");
  const json* const spec_value = fields.object("spec");
  JsonFields metadata(metadata_value ? *metadata_value : nothing, "metadata", {"name", "uid"});
  JsonFields spec(spec_value ? *spec_value : nothing, "spec",
                  {"items", "objects", "seal", "source"});
  CreateBackupCall call;
  call.name = metadata.text("name", kMaxBackupBytes);
  call.uid = metadata.text("uid", kMaxUidBytes);
  call.seal = static_cast<SealMode>(spec.choice("seal", {"manual", "auto"}));
  constexpr BackupSource kSources[] = {BackupSource::api, BackupSource::cli, BackupSource::run,
                                       BackupSource::velero};
  call.source = kSources[spec.choice("source", {"api", "cli", "run", "velero"})];
  (void)spec.array("objects");  // kept for the mapping of volumes, which this version does not do
  auto items = read_items(spec);
  fields.take(metadata.error());
  fields.take(spec.error());
  if (!items) fields.take(items.error());
  if (fields.error()) return fail(*fields.error());
  if (auto named = check_field(check_backup_name(call.name), "metadata.name"); !named)
    return fail(named.error());
  call.items = std::move(*items);
  return ApiCall(std::move(call));
}

Result<ApiCall> put_item(const Route& route, const HttpRequest& request, const json& body) {
  QueryReader query(request.query, {"create"});
  AddItemCall call;
  call.create = static_cast<CreateMode>(query.choice("create", {"", "auto", "manual"}));
  JsonFields fields(body, "", {"snapshotID", "volumeID", "parts", "tracker", "object"});
  call.backup = route.name;
  call.item.item = route.item;
  read_attributes(fields, call.item);
  (void)fields.object("object");  // as `objects` of create
  if (query.error()) return fail(*query.error());
  if (fields.error()) return fail(*fields.error());
  // A new backup needs a name; an old one may also be named by its UID.
  if (call.create != CreateMode::no)
    if (auto named = check_field(check_backup_name(call.backup), "backup"); !named)
      return fail(named.error());
  if (auto checked = check_item_field(call.item.item, "item"); !checked)
    return fail(checked.error());
  return ApiCall(std::move(call));
}

Result<ApiCall> seal_backup(const Route& route, const json& body) {
  JsonFields fields(body, "", {"outcome", "errors", "allowEmpty"});
  SealCall call;
  call.backup = route.name;
  constexpr SealOutcome kOutcomes[] = {SealOutcome::ok, SealOutcome::partial, SealOutcome::failed};
  call.outcome = kOutcomes[fields.choice("outcome", {"ok", "partial", "failed"})];
  call.errors = fields.texts("errors", kMaxErrBytes);
  call.allow_empty = fields.flag("allowEmpty", false);
  if (call.errors.size() > kMaxErrors)
    fields.refuse("errors", "more than " + std::to_string(kMaxErrors) + " errors");
  if (fields.error()) return fail(*fields.error());
  return ApiCall(std::move(call));
}

template <typename Call>
Result<ApiCall> cancel(Call call, const json& body) {
  JsonFields fields(body, "", {"reason"});
  call.reason = fields.text("reason", kMaxReasonBytes);
  if (fields.error()) return fail(*fields.error());
  return ApiCall(std::move(call));
}

}  // namespace

bool changes_something(RouteId route) {
  switch (route) {
    case RouteId::create_backup:
    case RouteId::delete_backup:
    case RouteId::put_item:
    case RouteId::seal_backup:
    case RouteId::cancel_backup:
    case RouteId::cancel_upload:
      return true;
    default:
      return false;
  }
}

Result<ApiCall> call_of(const Route& route, const HttpRequest& request) {
  const auto body = body_of(request);
  if (!body) return fail(body.error());
  if (route.id == RouteId::put_item) return put_item(route, request, *body);
  const QueryReader query(request.query, {});
  if (query.error()) return fail(*query.error());
  switch (route.id) {
    case RouteId::create_backup:
      return create_backup(*body);
    case RouteId::seal_backup:
      return seal_backup(route, *body);
    case RouteId::cancel_backup:
      return cancel(CancelBackupCall{route.name, ""}, *body);
    case RouteId::cancel_upload:
      return cancel(CancelUploadCall{route.name, ""}, *body);
    default:
      return ApiCall(DeleteBackupCall{route.name});
  }
}

}  // namespace plimsoll
