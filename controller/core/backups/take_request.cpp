// take_request.cpp - see take_request.hpp.
#include "controller/core/backups/take_request.hpp"

#include <utility>

#include "controller/core/backups/check_request.hpp"
#include "controller/core/backups/deletion.hpp"
#include "controller/core/backups/expected_uploads.hpp"
#include "controller/core/committed_view.hpp"
#include "controller/core/uplink/bind_report.hpp"
#include "schemas/text.hpp"
#include "schemas/time_text.hpp"

namespace plimsoll {
namespace {

struct Done {
  AnswerKind kind = AnswerKind::ok;
  std::string backup_uid;  // "" = not in the answer
  std::string upload_id;   // "" = not in the answer
};
using Taken = tl::expected<Done, ApiError>;

tl::unexpected<ApiError> refuse(ApiError error) {
  return tl::unexpected(std::move(error));
}

Taken answer_same(const BackupRecord& known, const CreateBackupCall& call) {
  if (known.name == call.name) return Done{AnswerKind::ok, known.uid, ""};
  return refuse(api_error(ErrorCode::conflict,
                          "UID " + quoted(call.uid) + " belongs to backup " + quoted(known.name),
                          "", "metadata.uid"));
}

std::optional<ApiError> check_room(const ControllerState& state, std::size_t items) {
  if (!has_room_for_backup(state))
    return api_error(ErrorCode::busy, "there are as many backups as limits.backups allows",
                     "delete old ones");
  if (items > state.settings.limits.items_per_backup)
    return api_error(ErrorCode::busy, "more items than limits.itemsPerBackup allows", "",
                     "spec.items");
  return std::nullopt;
}

Taken take(Turn& turn, const Caller& caller, const CreateBackupCall& call) {
  if (!caller.is_admin) return refuse(not_allowed(caller, "create a backup"));
  if (auto bad = check_new_backup(call)) return refuse(std::move(*bad));
  if (!call.uid.empty()) {
    if (const auto* known = turn.rows().backup(call.uid)) return answer_same(*known, call);
    if (turn.rows().tombstone(call.uid) != nullptr)
      return refuse(no_such_backup(turn.rows(), call.uid));
  }
  if (const auto* known = turn.rows().backup_by_name(call.name))
    return refuse(api_error(
        ErrorCode::exists,
        "backup " + quoted(call.name) + " exists (" + std::string(word(known->phase)) + ")",
        "choose another name, or delete it first", "metadata.name"));
  if (auto full = check_room(turn.state, call.items.size())) return refuse(std::move(*full));
  auto& backup = create_backup(turn, {call.name, call.uid, call.seal, call.source, caller.uid});
  const std::string uid = backup.uid;
  for (const auto& item : call.items)
    add_upload(turn, backup, item, caller.uid);
  adopt_orphans(turn, uid);
  return Done{AnswerKind::created, uid, ""};
}

bool adds_nothing(const ItemSpec& asked, const UploadRecord& known) {
  const auto same = [](const auto& value, const auto& other, const auto& unset) {
    return value == unset || value == other;
  };
  return same(asked.snapshot_id, known.snapshot_id, "") &&
         same(asked.volume_id, known.volume_id, "") && same(asked.parts, known.parts, 0U) &&
         same(asked.tracker, known.tracker, "");
}

bool contradicts(const ItemSpec& asked, const UploadRecord& known) {
  const auto clash = [](const auto& value, const auto& other, const auto& unset) {
    return value != unset && other != unset && value != other;
  };
  return clash(asked.snapshot_id, known.snapshot_id, "") ||
         clash(asked.volume_id, known.volume_id, "") || clash(asked.parts, known.parts, 0U) ||
         clash(asked.tracker, known.tracker, "");
}

// The item is there: the same again, or attributes that were not said before.
Taken add_again(Turn& turn, const Caller& caller, const AddItemCall& call, UploadRecord known) {
  const ItemSpec& asked = call.item;
  const Done same{AnswerKind::ok, known.backup_uid, known.id};
  if (adds_nothing(asked, known)) return same;
  const auto& backup = *turn.rows().backup(known.backup_uid);
  if (contradicts(asked, known) || known.end || backup.items_fixed)
    return refuse(api_error(ErrorCode::conflict,
                            "item " + quoted(asked.item) + " is there with other attributes",
                            "give the same snapshot, volume and parts, or none"));
  if (!owns(caller, backup) && caller.uid != known.owner_uid)
    return refuse(not_allowed(caller, "change backup " + quoted(backup.name)));
  if (!asked.snapshot_id.empty()) known.snapshot_id = asked.snapshot_id;
  if (!asked.volume_id.empty()) known.volume_id = asked.volume_id;
  if (asked.parts != 0) known.parts = asked.parts;
  if (!asked.tracker.empty()) known.tracker = asked.tracker;
  turn.rows().put(std::move(known));
  touch_upload(turn, same.upload_id, true);
  refresh_upload(turn, same.upload_id);
  adopt_orphans(turn, same.backup_uid);
  return same;
}

Taken add_new(Turn& turn, const Caller& caller, const AddItemCall& call, BackupRecord& backup) {
  if (!owns(caller, backup))
    return refuse(not_allowed(caller, "add to backup " + quoted(backup.name)));
  if (backup.items_fixed || backup.phase == BackupPhase::new_)
    return refuse(api_error(ErrorCode::sealed, "backup " + quoted(backup.name) + " is sealed",
                            "what it expects is fixed; use another backup"));
  if (turn.rows().uploads_of(backup.uid).size() >= turn.state.settings.limits.items_per_backup)
    return refuse(api_error(ErrorCode::busy, "backup " + quoted(backup.name) +
                                                 " has as many items as limits.itemsPerBackup "
                                                 "allows"));
  const std::string uid = backup.uid;
  const std::string id = add_upload(turn, backup, call.item, caller.uid);
  adopt_orphans(turn, uid);
  return Done{AnswerKind::created, uid, id};
}

Taken take(Turn& turn, const Caller& caller, const AddItemCall& call) {
  if (auto bad = check_item_spec(call.item, "")) return refuse(std::move(*bad));
  const auto* known = turn.rows().backup_by_either(call.backup);
  if (known == nullptr) {
    if (call.create == CreateMode::no) return refuse(no_such_backup(turn.rows(), call.backup));
    if (auto bad = check_name(call.backup)) return refuse(std::move(*bad));
    if (auto full = check_room(turn.state, 1)) return refuse(std::move(*full));
    const auto seal = call.create == CreateMode::auto_ ? SealMode::auto_ : SealMode::manual;
    auto& made = create_backup(turn, {call.backup, "", seal, call.source, caller.uid});
    return add_new(turn, caller, call, made);
  }
  if (!is_live(*known))
    return refuse(
        api_error(ErrorCode::exists,
                  "backup " + quoted(known->name) + " is " + std::string(word(known->phase)),
                  "use another name"));
  if (const auto* upload = turn.rows().upload_of(known->uid, call.item.item))
    return add_again(turn, caller, call, *upload);
  return add_new(turn, caller, call, *turn.rows().edit_backup(known->uid));
}

void take_seal_errors(const Turn& turn, BackupRecord& backup, const SealCall& call) {
  auto& list = call.outcome == SealOutcome::ok ? backup.warnings : backup.errors;
  for (const auto& text : call.errors)
    add_message(list, {turn.state.wall, "seal", text});
}

void seal(Turn& turn, BackupRecord& backup, const SealCall& call) {
  backup.outcome = call.outcome;
  backup.allow_empty = call.allow_empty;
  take_seal_errors(turn, backup, call);
  if (call.outcome == SealOutcome::failed) {
    backup.items_fixed = true;
    change_phase(turn, backup, PhaseEvent::sealed_failed);
    for (const auto& [item, id] : turn.rows().uploads_of(backup.uid))
      for (const auto kind : upload_timers())
        turn.state.timers.disarm({kind, id});
    return;
  }
  if (call.outcome == SealOutcome::partial) backup.failed_latched = true;
  fix_items(turn, backup);
  refresh_backup(turn, std::string(backup.uid));
  if (backup.phase != BackupPhase::in_progress) return;
  change_phase(turn, backup,
               backup.failed_latched ? PhaseEvent::sealed_with_failure : PhaseEvent::sealed_well);
}

Taken take(Turn& turn, const Caller& caller, const SealCall& call) {
  auto* backup = turn.rows().edit_backup([&] {
    const auto* known = turn.rows().backup_by_either(call.backup);
    return known != nullptr ? known->uid : std::string();
  }());
  if (backup == nullptr) return refuse(no_such_backup(turn.rows(), call.backup));
  const std::string name = quoted(backup->name);
  if (!owns(caller, *backup)) return refuse(not_allowed(caller, "seal backup " + name));
  if (call.outcome == SealOutcome::none)
    return refuse(
        api_error(ErrorCode::bad_request, "no outcome", "ok, partial or failed", "outcome"));
  if (call.errors.size() > kMaxSealErrors)
    return refuse(
        api_error(ErrorCode::bad_request, "too many errors in one request", "", "errors"));
  if (backup->items_fixed || is_terminal(backup->phase))
    return Done{AnswerKind::ok, backup->uid, ""};
  if (backup->phase == BackupPhase::deleting || backup->phase == BackupPhase::new_)
    return refuse(api_error(ErrorCode::conflict,
                            "backup " + name + " is " + std::string(word(backup->phase))));
  const bool as_failed = call.outcome == SealOutcome::failed;
  if (as_failed && backup->phase != BackupPhase::in_progress)
    return refuse(
        api_error(ErrorCode::conflict,
                  "backup " + name + " is uploading already and cannot be sealed as failed",
                  "cancel it, or seal it as partial"));
  if (!as_failed && !call.allow_empty && turn.rows().uploads_of(backup->uid).empty())
    return refuse(api_error(ErrorCode::empty, "backup " + name + " has no items",
                            "add some, or allow it to be empty"));
  const std::string uid = backup->uid;
  seal(turn, *backup, call);
  return Done{AnswerKind::ok, uid, ""};
}

std::string cancel_reason(const std::string& asked) {
  return asked.empty() ? "cancel was asked" : asked;
}

Taken take(Turn& turn, const Caller& caller, const CancelBackupCall& call) {
  const auto* backup = turn.rows().backup_by_either(call.backup);
  if (backup == nullptr) return refuse(no_such_backup(turn.rows(), call.backup));
  if (!owns(caller, *backup))
    return refuse(not_allowed(caller, "cancel backup " + quoted(backup->name)));
  const std::string uid = backup->uid;
  const auto uploads = turn.rows().uploads_of(uid);
  for (const auto& [item, id] : uploads)
    cancel_upload(turn, id, cancel_reason(call.reason));
  return Done{AnswerKind::accepted, uid, ""};
}

Taken take(Turn& turn, const Caller& caller, const DeleteBackupCall& call) {
  if (!caller.is_admin) return refuse(not_allowed(caller, "delete a backup"));
  const auto* backup = turn.rows().backup_by_either(call.backup);
  if (backup == nullptr) {
    if (turn.rows().youngest_tombstone(call.backup) != nullptr)
      return Done{AnswerKind::accepted, "", ""};
    return refuse(no_such_backup(turn.rows(), call.backup));
  }
  delete_backup(turn, std::string(backup->uid));
  return Done{AnswerKind::accepted, "", ""};
}

Taken take(Turn& turn, const Caller& caller, const CancelUploadCall& call) {
  const auto* upload = turn.rows().upload(call.upload);
  if (upload == nullptr)
    return refuse(
        api_error(ErrorCode::not_found, "no upload " + quoted(call.upload),
                  "`plimsoll get uploads` lists them; an orphan is cancelled with --agent"));
  if (!caller.is_admin && !may_cancel(turn.rows(), caller, *upload))
    return refuse(not_allowed(caller, "cancel upload " + quoted(call.upload)));
  const Done done{upload->end ? AnswerKind::ok : AnswerKind::accepted, "", upload->id};
  cancel_upload(turn, done.upload_id, cancel_reason(call.reason));
  return done;
}

}  // namespace

void take_request(Turn& turn, const ApiRequest& request) {
  const auto answer_now = [&](ApiError error) {
    turn.effects.push_back(Reply{request.request, tl::unexpected(std::move(error))});
  };
  if (turn.state.queue.failing)
    return answer_now({store_unavailable("the last commit failed"), {}});
  auto taken =
      std::visit([&](const auto& call) { return take(turn, request.caller, call); }, request.call);
  if (!taken) return answer_now(std::move(taken.error()));
  // Not both: a large backup's document for each item added would make adding quadratic.
  if (!taken->upload_id.empty()) taken->backup_uid.clear();
  after_commit(turn, PendingReply{request.request, taken->kind, std::move(taken->backup_uid),
                                  std::move(taken->upload_id)});
}

void seal_forgotten_backup(Turn& turn, BackupRecord& backup) {
  if (backup.phase != BackupPhase::in_progress) return;
  const auto length = seal_timeout_length(turn.state.settings, backup.seal);
  SealCall call;
  call.outcome = SealOutcome::failed;
  call.errors = {"nobody sealed it or added to it for " + duration_text(length)};
  seal(turn, backup, call);
}

}  // namespace plimsoll
