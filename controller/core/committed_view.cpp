// committed_view.cpp - see committed_view.hpp.
#include "controller/core/committed_view.hpp"

#include <set>
#include <utility>

#include "controller/core/backups/expected_uploads.hpp"
#include "controller/core/queries.hpp"

namespace plimsoll {
namespace {

// What a commit touches, each once.
struct Touched {
  std::set<std::string> backups;
  std::set<std::string> uploads;
  std::vector<DeletedBackup> deleted_backups;
  std::vector<DeletedUpload> deleted_uploads;
};

std::string orphan_id(const SegmentId& segment) {
  return to_hex(segment).substr(0, 16);
}

void note_deleted_backup(Touched& touched, CommittedView& view, const std::string& uid) {
  const auto* backup = view.rows.backup(uid);
  if (backup == nullptr) return;
  touched.deleted_backups.push_back({uid, backup->name});
  for (const auto& [item, id] : view.rows.uploads_of(uid)) {
    touched.deleted_uploads.push_back({id, uid, backup->name, item});
    view.uploads.erase(id);
  }
}

void note_attempt(Touched& touched, const Model& rows, const AttemptRecord& attempt) {
  if (attempt.upload_id.empty()) {
    touched.uploads.insert(orphan_id(attempt.segment));
    return;
  }
  touched.uploads.insert(attempt.upload_id);
  const auto* known = rows.attempt(attempt.segment);
  if (known != nullptr && known->upload_id.empty())  // adopted: the orphan is no more
    touched.deleted_uploads.push_back({orphan_id(attempt.segment), "", "", ""});
}

// Before the write is applied, while what it deletes can still be seen.
void note_write(Touched& touched, CommittedView& view, const StoreWrite& write) {
  if (const auto* put = std::get_if<PutBackup>(&write)) touched.backups.insert(put->record.uid);
  if (const auto* put = std::get_if<PutUpload>(&write)) touched.uploads.insert(put->record.id);
  if (const auto* put = std::get_if<PutAttempt>(&write))
    note_attempt(touched, view.rows, put->record);
  if (const auto* gone = std::get_if<DeleteBackup>(&write))
    note_deleted_backup(touched, view, gone->uid);
  if (const auto* gone = std::get_if<DeleteAttempt>(&write))
    touched.deleted_uploads.push_back({orphan_id(gone->segment), "", "", ""});
}

void refresh_view(CommittedView& view, Touched& touched, const std::string& id) {
  const auto* upload = view.rows.upload(id);
  if (upload == nullptr) return;
  view.uploads.insert_or_assign(id, view_of(view.rows, *upload));
  touched.backups.insert(upload->backup_uid);
}

}  // namespace

void publish(Turn& turn, const std::vector<StoreWrite>& writes) {
  CommittedView& view = turn.state.committed;
  Touched touched;
  for (const auto& write : writes) {
    note_write(touched, view, write);
    view.rows.apply(write);
  }
  for (const auto& id : touched.uploads)
    refresh_view(view, touched, id);
  if (touched.backups.empty() && touched.uploads.empty() && touched.deleted_backups.empty() &&
      touched.deleted_uploads.empty())
    return;
  turn.effects.push_back(Changed{{touched.backups.begin(), touched.backups.end()},
                                 {touched.uploads.begin(), touched.uploads.end()},
                                 std::move(touched.deleted_backups),
                                 std::move(touched.deleted_uploads)});
}

void publish_loaded(CommittedView& view, const Model& rows) {
  view.rows = rows;
  for (const auto& [id, upload] : view.rows.uploads())
    view.uploads.insert_or_assign(id, view_of(view.rows, upload));
}

ApiResult answer_of(const ControllerState& state, const PendingReply& reply, TimePoint now) {
  ApiAnswer answer;
  answer.kind = reply.kind;
  if (!reply.backup_uid.empty())
    if (auto backup = get_backup(state, reply.backup_uid)) answer.backup = std::move(*backup);
  if (!reply.upload_id.empty())
    if (auto upload = get_upload(state, reply.upload_id, now)) answer.upload = std::move(*upload);
  return answer;
}

Error store_unavailable(const std::string& cause) {
  return Error{ErrorCode::store_unavailable, "store: cannot commit: " + cause,
               "try again; `plimsoll healthcheck controller` says when the store is back", ""};
}

}  // namespace plimsoll
