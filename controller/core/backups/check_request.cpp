// check_request.cpp - see check_request.hpp.
#include "controller/core/backups/check_request.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "schemas/names.hpp"
#include "schemas/text.hpp"
#include "schemas/text_bounds.hpp"

namespace plimsoll {
namespace {

std::optional<ApiError> as_bad_request(const Result<void>& checked, const std::string& field) {
  if (checked) return std::nullopt;
  Error error = checked.error();
  error.code = ErrorCode::bad_request;
  error.field = field;
  return ApiError{std::move(error), {}};
}

}  // namespace

ApiError api_error(ErrorCode code, std::string message, std::string hint, std::string field) {
  return ApiError{Error{code, std::move(message), std::move(hint), std::move(field)}, {}};
}

std::optional<ApiError> check_name(const std::string& name) {
  return as_bad_request(check_backup_name(name), "metadata.name");
}

std::optional<ApiError> check_item_spec(const ItemSpec& spec, const std::string& field) {
  const auto item = parse_item(spec.item);
  if (!item) return as_bad_request(tl::unexpected(item.error()), field + "item");
  if (auto bad = as_bad_request(check_opaque("snapshotID", spec.snapshot_id, kMaxSnapshotIdBytes),
                                field + "snapshotID"))
    return bad;
  if (auto bad = as_bad_request(check_opaque("volumeID", spec.volume_id, kMaxVolumeIdBytes),
                                field + "volumeID"))
    return bad;
  if (auto bad =
          as_bad_request(check_opaque("tracker", spec.tracker, kMaxToolBytes), field + "tracker"))
    return bad;
  if (spec.parts <= kMaxParts) return std::nullopt;
  return api_error(
      ErrorCode::bad_request,
      "parts: " + std::to_string(spec.parts) + " is more than " + std::to_string(kMaxParts), "",
      field + "parts");
}

std::optional<ApiError> check_new_backup(const CreateBackupCall& call) {
  if (auto bad = check_name(call.name)) return bad;
  if (auto bad = as_bad_request(check_opaque("uid", call.uid, kMaxUidBytes), "metadata.uid"))
    return bad;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < call.items.size(); ++i) {
    const std::string field = "spec.items[" + std::to_string(i) + "].";
    if (auto bad = check_item_spec(call.items[i], field)) return bad;
    if (seen.insert(call.items[i].item).second) continue;
    return api_error(ErrorCode::bad_request,
                     "item " + quoted(call.items[i].item) + " is there twice",
                     "name each item once", field + "item");
  }
  return std::nullopt;
}

ApiError no_such_backup(const Model& rows, std::string_view name_or_uid) {
  const auto* grave = rows.youngest_tombstone(name_or_uid);
  if (grave == nullptr)
    return api_error(ErrorCode::not_found, "no backup " + quoted(name_or_uid),
                     "`plimsoll get backups` lists them");
  ApiError gone = api_error(ErrorCode::gone, "backup " + quoted(name_or_uid) + " was deleted");
  gone.deleted_at = grave->deleted_at;
  return gone;
}

ApiError not_allowed(const Caller& caller, const std::string& what) {
  return api_error(ErrorCode::forbidden, "uid " + std::to_string(caller.uid) + " may not " + what,
                   "root, the daemon's user and socket.admins may");
}

bool owns(const Caller& caller, const BackupRecord& backup) {
  return caller.is_admin || caller.uid == backup.owner_uid;
}

bool may_cancel(const Model& rows, const Caller& caller, const UploadRecord& upload) {
  if (caller.uid == upload.owner_uid || owns(caller, *rows.backup(upload.backup_uid))) return true;
  const auto& segments = rows.attempts_of(upload.id);
  return std::any_of(segments.begin(), segments.end(), [&](const SegmentId& segment) {
    return rows.attempt(segment)->owner_uid == caller.uid;
  });
}

}  // namespace plimsoll
