// run_registrar.cpp - see run_registrar.hpp.
#include "cli/commands/run_registrar.hpp"

#include <utility>

#include "cli/commands/run_names.hpp"
#include "runtime/clock.hpp"
#include "runtime/http/url.hpp"

namespace plimsoll::cli {

namespace {

// An answer that says "later" is none: the call is made again.
bool is_final(ErrorCode code) {
  switch (code) {
    case ErrorCode::unreachable:
    case ErrorCode::timeout:
    case ErrorCode::io:
    case ErrorCode::closed:
    case ErrorCode::busy:
    case ErrorCode::internal:
    case ErrorCode::store_unavailable:
    case ErrorCode::store_io:
      return false;
    default:
      return true;
  }
}

nlohmann::json body_of(const Registering& request) {
  nlohmann::json body = nlohmann::json::object();
  if (!request.snapshot_id.empty()) body["snapshotID"] = request.snapshot_id;
  if (!request.volume_id.empty()) body["volumeID"] = request.volume_id;
  if (request.parts_total > 0) body["parts"] = request.parts_total;
  return body;
}

std::string nested_text(const nlohmann::json& object, const char* outer, const char* inner) {
  const auto found = object.find(outer);
  if (found == object.end() || !found->is_object()) return "";
  const auto text = found->find(inner);
  return text != found->end() && text->is_string() ? text->get<std::string>() : "";
}

// The answer is the backup, or the upload that was added to it.
std::string uid_of(const nlohmann::json& answer) {
  if (!answer.is_object()) return "";
  const std::string from_upload = nested_text(answer, "spec", "backupUID");
  const bool is_backup = answer.value("kind", "") == "Backup";
  return !from_upload.empty() || !is_backup ? from_upload : nested_text(answer, "metadata", "uid");
}

}  // namespace

RunRegistrar::RunRegistrar(const Session& session, Registering request)
    : options_(session.options()),
      environment_(session.environment()),
      request_(std::move(request)),
      thread_([this] { work(); }) {}

RunRegistrar::~RunRegistrar() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void RunRegistrar::ask(bool may_rename) {
  {
    const std::lock_guard guard(mutex_);
    if (asked_) return;
    asked_ = true;
    may_rename_ = may_rename;
    result_.reset();
  }
  changed_.notify_all();
}

std::optional<Registered> RunRegistrar::wait(milliseconds at_most) {
  std::unique_lock guard(mutex_);
  (void)changed_.wait_for(guard, at_most, [this] { return result_.has_value(); });
  return result_;
}

void RunRegistrar::work() {
  std::unique_lock guard(mutex_);
  for (;;) {
    changed_.wait(guard, [this] { return stopping_ || asked_; });
    if (stopping_) return;
    const bool may_rename = may_rename_;
    guard.unlock();
    Registered result = call(may_rename);
    guard.lock();
    result_ = std::move(result);
    asked_ = false;
    changed_.notify_all();
  }
}

Registered RunRegistrar::call(bool may_rename) {
  Registered result = put(request_.backup);
  if (result.accepted || !may_rename || result.error.code != ErrorCode::exists) return result;
  const std::string renamed = next_backup_name(request_.backup, Clock().wall());
  Registered second = put(renamed);
  if (second.accepted) request_.backup = renamed;
  return second;
}

Registered RunRegistrar::put(const std::string& backup) const {
  Registered result;
  result.backup = backup;
  const Session session(options_, environment_);
  Result<Endpoint> endpoint = session.find(Daemon::controller);
  if (!endpoint) {
    result.error = std::move(endpoint.error());
    return result;
  }
  Request request;
  request.method = "PUT";
  request.path = backup_path(backup) + "/items/" + percent_encode(request_.item) +
                 "?create=" + (request_.manual_seal ? "manual" : "auto");
  request.body = body_of(request_);
  const Result<nlohmann::json> answer = Client(*endpoint, kCallTimeout).call(request);
  result.accepted = answer.has_value();
  result.answered = result.accepted || is_final(answer.error().code);
  if (!result.accepted) result.error = answer.error();
  if (result.accepted) result.backup_uid = uid_of(*answer);
  return result;
}

}  // namespace plimsoll::cli
