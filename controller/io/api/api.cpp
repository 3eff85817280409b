// api.cpp - from request to answer.
#include "controller/io/api/api.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "controller/io/api/answer.hpp"
#include "controller/io/api/call_body.hpp"
#include "controller/io/api/list_query.hpp"
#include "controller/io/backup_json.hpp"
#include "schemas/api_json.hpp"
#include "schemas/text.hpp"

namespace plimsoll {
namespace {

using nlohmann::json;

int status_of(AnswerKind kind) {
  switch (kind) {
    case AnswerKind::ok:
      return 200;
    case AnswerKind::created:
      return 201;
    case AnswerKind::accepted:
      return 202;
  }
  return 200;
}

// An empty body = answered already (a watch took the responder).
bool is_taken(const HttpResponder& responder) {
  return !responder.waiting();
}

HttpResponse refused(const Error& error, const HttpRequest& request) {
  auto response = error_answer(error);
  if (error.code == ErrorCode::method)
    response.headers.emplace_back("Allow", allowed_methods(request.path));
  return response;
}

Result<void> takes_no_query(const HttpRequest& request) {
  const QueryReader reader(request.query, {});
  if (reader.error()) return fail(*reader.error());
  return {};
}

HttpResponse version_answer() {
  return json_answer(200, {{"apiVersion", kApiVersion},
                           {"kind", "Version"},
                           {"component", "controller"},
                           {"version", PLIMSOLL_VERSION}});
}

}  // namespace

Api::Api(const ControllerState& state, ApiAdmins admins, ApiPorts ports)
    : state_(state), admins_(std::move(admins)), ports_(std::move(ports)), watches_(state) {}

void Api::handle(HttpRequest request, HttpResponder responder) {
  const auto route = route_of(request.method, request.path);
  if (!route) {
    responder.send(refused(route.error(), request));
    return;
  }
  if (changes_something(route->id)) return change(*route, request, std::move(responder));
  read(*route, request, std::move(responder));
}

void Api::change(const Route& route, const HttpRequest& request, HttpResponder responder) {
  Waiting waiting{std::move(responder),
                  ApiAudit{request.peer, request.method + " " + escape_text(request.path), 0, ""}};
  auto call = call_of(route, request);
  if (!call) {
    return finish(std::move(waiting), error_answer(call.error()),
                  std::string(word(call.error().code)));
  }
  const auto id = RequestId(++last_request_);
  waiting_.emplace(id, std::move(waiting));
  ports_.call_core(id, caller_of(request.peer, admins_), std::move(*call));
}

void Api::reply(const Reply& reply) {
  auto found = waiting_.extract(reply.request);
  if (found.empty()) return;
  if (reply.result) return finish(std::move(found.mapped()), answer_of(*reply.result), "");
  finish(std::move(found.mapped()), error_answer(reply.result.error()),
         std::string(word(reply.result.error().error.code)));
}

void Api::finish(Waiting waiting, HttpResponse response, std::string code) {
  waiting.audit.status = response.status;
  waiting.audit.code = std::move(code);
  ports_.audit(waiting.audit);
  waiting.responder.send(std::move(response));
}

HttpResponse Api::answer_of(const ApiAnswer& answer) {
  const int status = status_of(answer.kind);
  if (answer.upload) return json_answer(status, upload_json(*answer.upload));
  if (!answer.backup)
    return json_answer(status,
                       {{"apiVersion", kApiVersion}, {"kind", "Status"}, {"status", "accepted"}});
  const auto uploads = backup_uploads(state_, answer.backup->uid, "", ports_.now());
  return json_answer(status, whole_backup_json(*answer.backup, uploads.items, uploads.next));
}

void Api::read(const Route& route, const HttpRequest& request, HttpResponder responder) {
  if (route.id == RouteId::get_upload) return one_upload(route, request, std::move(responder));
  HttpResponse response;
  if (route.id == RouteId::list_backups) {
    response = list_of_backups(request, responder);
  } else if (route.id == RouteId::list_uploads) {
    response = list_of_uploads(request, responder);
  } else if (route.id == RouteId::get_backup) {
    response = one_backup(route, request);
  } else if (const auto checked = takes_no_query(request); !checked) {
    response = error_answer(checked.error());
  } else if (route.id == RouteId::list_nodes) {
    json nodes = json::array();
    for (const auto& node : list_nodes(state_, ports_.now()))
      nodes.push_back(node_json(node));
    response = json_answer(200, list_json("NodeList", std::move(nodes)));
  } else if (route.id == RouteId::readyz) {
    response = readiness();
  } else if (route.id == RouteId::version) {
    response = version_answer();
  } else {
    response = text_answer(200, "ok\n");
  }
  if (!is_taken(responder)) responder.send(std::move(response));
}

HttpResponse Api::list_of_backups(const HttpRequest& request, HttpResponder& responder) {
  const auto wanted = backup_list_request(request.query);
  if (!wanted) return error_answer(wanted.error());
  if (wanted->watch) {
    watches_.add(std::move(responder), wanted->query);
    return {};
  }
  const auto page = list_backups(state_, wanted->query);
  json items = json::array();
  for (const auto& backup : page.items)
    items.push_back(backup_json(backup));
  return json_answer(200, list_json("BackupList", std::move(items), page.next));
}

HttpResponse Api::list_of_uploads(const HttpRequest& request, HttpResponder& responder) {
  const auto wanted = upload_list_request(request.query);
  if (!wanted) return error_answer(wanted.error());
  if (wanted->watch) {
    watches_.add(std::move(responder), wanted->query);
    return {};
  }
  const auto page = list_uploads(state_, wanted->query, ports_.now());
  json items = json::array();
  for (const auto& upload : page.items)
    items.push_back(upload_json(upload));
  return json_answer(200, list_json("UploadList", std::move(items), page.next));
}

HttpResponse Api::one_backup(const Route& route, const HttpRequest& request) {
  const auto after = whole_backup_after(request.query);
  if (!after) return error_answer(after.error());
  const auto backup = get_backup(state_, route.name);
  if (!backup) return error_answer(backup.error());
  const auto uploads = backup_uploads(state_, backup->uid, *after, ports_.now());
  return json_answer(200, whole_backup_json(*backup, uploads.items, uploads.next));
}

// The history is in the store only, so this answer waits for the store's thread.
void Api::one_upload(const Route& route, const HttpRequest& request, HttpResponder responder) {
  if (const auto checked = takes_no_query(request); !checked)
    return responder.send(error_answer(checked.error()));
  auto upload = get_upload(state_, route.name, ports_.now());
  if (!upload) return responder.send(error_answer(upload.error()));
  HistoryOf of{upload->id, {}};
  if (const auto orphan = orphan_segment(state_, upload->id)) of = HistoryOf{"", *orphan};
  // std::function wants a copyable callable, and a responder is not; the RequestId stands for it.
  const auto id = RequestId(++last_request_);
  waiting_.emplace(id, Waiting{std::move(responder), {}});
  const bool asked = ports_.read_history(
      std::move(of),
      [this, id, document = std::move(*upload)](Result<std::vector<UploadEvent>> history) mutable {
        auto found = waiting_.extract(id);
        if (found.empty()) return;
        if (!history) return found.mapped().responder.send(error_answer(history.error()));
        document.history = std::move(*history);
        found.mapped().responder.send(json_answer(200, upload_json(document)));
      });
  if (asked) return;
  waiting_.extract(id).mapped().responder.send(
      error_answer(Error{ErrorCode::busy, "the store has too much to do", "ask again", ""}));
}

HttpResponse Api::readiness() {
  const auto reasons = ports_.unready_reasons();
  if (reasons.empty()) return text_answer(200, "ready\n");
  std::string all;
  for (const auto& reason : reasons)
    all += (all.empty() ? "" : "; ") + reason;
  return error_answer(Error{ErrorCode::store_unavailable, "not ready: " + all, "", ""});
}

void Api::flush_watches() {
  watches_.flush(ports_.now());
}

}  // namespace plimsoll
