// query_api.cpp - routes, and one function each.
#include "agent/io/query_api.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "runtime/http/url.hpp"
#include "schemas/api_json.hpp"
#include "schemas/text.hpp"  // quoted() is qualified below: the JSON header brings std::quoted in

namespace plimsoll {
namespace {

using nlohmann::json;

constexpr std::string_view kCancelSuffix = ":cancel";

HttpResponse json_answer(int status, const json& body) {
  return {status, dump_json(body) + "\n"};
}

HttpResponse error_answer(const Error& error) {
  return json_answer(info(error.code).http_status, error_json(error));
}

HttpResponse text_answer(std::string text) {
  return {200, std::move(text), "text/plain; charset=utf-8"};
}

HttpResponse wrong_method(const HttpRequest& request, const std::string& allowed) {
  auto answer = error_answer({ErrorCode::method,
                              "method " + plimsoll::quoted(request.method) + " does not work here",
                              "use " + allowed, ""});
  answer.headers.emplace_back("Allow", allowed);
  return answer;
}

HttpResponse no_such_path(const HttpRequest& request) {
  return error_answer({ErrorCode::not_found,
                       "there is nothing at " + plimsoll::quoted(request.path),
                       "see /v1/uploads, /healthz, /readyz and /version", ""});
}

bool reads(const HttpRequest& request) {
  return request.method == "GET" || request.method == "HEAD";
}

HttpResponse version_answer() {
  return json_answer(200, {{"apiVersion", kApiVersion},
                           {"kind", "Version"},
                           {"component", "plimsoll-agent"},
                           {"version", PLIMSOLL_VERSION}});
}

// {"reason"?}; an empty body says nothing.
Result<std::string> cancel_reason(const std::string& body) {
  if (body.empty()) return std::string();
  const auto parsed = parse_json(body, "request body");
  if (!parsed) return fail(parsed.error());
  if (!parsed->is_object()) return fail(ErrorCode::bad_request, "request body: not an object");
  for (const auto& [key, value] : parsed->items())
    if (key != "reason" || !value.is_string())
      return fail(
          ErrorCode::bad_request,
          "request body: only a text \"reason\" may stand here, not " + plimsoll::quoted(key), "",
          key);
  return parsed->value("reason", std::string());
}

}  // namespace

QueryApi::QueryApi(const AgentState& state, AccessRules access, QueryPorts ports)
    : state_(state), access_(std::move(access)), ports_(std::move(ports)) {}

std::string QueryApi::render_error(int status, std::string_view message) {
  auto code = ErrorCode::internal;
  for (const auto& row : kErrorCodes)
    if (row.http_status == status) {
      code = row.code;
      break;
    }
  return dump_json(error_json({code, std::string(message), "", ""})) + "\n";
}

void QueryApi::handle(HttpRequest request, HttpResponder responder) {
  const auto pieces = decode_path(request.path);
  if (!pieces) return responder.send(error_answer(pieces.error()));
  const bool watches =
      request.query_value("watch") == "1" && reads(request) && *pieces == Pieces{"v1", "uploads"};
  if (watches) return start_watch(request, std::move(responder));
  responder.send(answer(request, *pieces));
}

HttpResponse QueryApi::answer(const HttpRequest& request, const Pieces& pieces) {
  const auto size = pieces.size();
  const bool uploads = size >= 2 && pieces[0] == "v1" && pieces[1] == "uploads";
  if (uploads && size == 3 && pieces[2].ends_with(kCancelSuffix)) {
    if (request.method != "POST") return wrong_method(request, "POST");
    return cancel_upload(request, pieces[2].substr(0, pieces[2].size() - kCancelSuffix.size()));
  }
  const bool known =
      (uploads && size <= 3) ||
      (size == 1 && (pieces[0] == "healthz" || pieces[0] == "readyz" || pieces[0] == "version"));
  if (!known) return no_such_path(request);
  if (!reads(request)) return wrong_method(request, "GET, HEAD");
  if (uploads && size == 3) return one_upload(pieces[2]);
  if (uploads) {
    const auto query = parse_upload_query(request.query);
    return query ? list_uploads(*query) : error_answer(query.error());
  }
  if (pieces[0] == "version") return version_answer();
  return pieces[0] == "readyz" ? readiness() : text_answer("ok\n");
}

HttpResponse QueryApi::readiness() const {
  const auto reasons = ports_.not_ready();
  if (reasons.empty()) return text_answer("ok\n");
  return json_answer(503, {{"ready", false}, {"reasons", reasons}});
}

HttpResponse QueryApi::list_uploads(const UploadQuery& query) const {
  const auto moment = ports_.moment();
  json items = json::array();
  std::string more;
  SegmentId last;
  for (const auto& upload : placed_uploads(state_.attempts)) {
    if (query.after && upload.place <= *query.after) continue;
    const auto document = upload_document(state_, *upload.segments, moment);
    if (!fits(query, document)) continue;
    if (items.size() == query.limit) {
      more = to_hex(last);
      break;
    }
    items.push_back(upload_json(document));
    last = upload.place;
  }
  return json_answer(200, list_json("UploadList", std::move(items), more));
}

Result<const std::set<SegmentId>*> QueryApi::find(const std::string& id) const {
  const auto found = find_upload(state_.attempts, id);
  if (found.ambiguous)
    return fail(ErrorCode::bad_request,
                "upload id " + plimsoll::quoted(id) + " fits more than one upload",
                "give more digits");
  if (!found.segments)
    return fail(ErrorCode::not_found, "this node has no upload " + plimsoll::quoted(id),
                "see /v1/uploads");
  return found.segments;
}

HttpResponse QueryApi::one_upload(const std::string& id) const {
  const auto segments = find(id);
  if (!segments) return error_answer(segments.error());
  auto document = upload_document(state_, **segments, ports_.moment());
  for (const auto& segment : **segments) {
    auto events = ports_.history(segment);
    document.history.insert(document.history.end(), events.begin(), events.end());
  }
  auto& history = document.history;
  std::stable_sort(history.begin(), history.end(), [](const UploadEvent& a, const UploadEvent& b) {
    return a.at_unix_ms < b.at_unix_ms;
  });
  if (history.size() > kMaxHistory)
    history.erase(history.begin(), history.end() - static_cast<std::ptrdiff_t>(kMaxHistory));
  return json_answer(200, upload_json(document));
}

std::vector<uid_t> QueryApi::owners_of(const std::set<SegmentId>& segments) const {
  std::vector<uid_t> owners;
  for (const auto& segment : segments)
    if (const auto* attempt = state_.attempts.find(segment))
      owners.push_back(attempt->origin.owner_uid);
  return owners;
}

HttpResponse QueryApi::cancel_upload(const HttpRequest& request, const std::string& id) {
  const auto segments = find(id);
  if (!segments) return error_answer(segments.error());
  if (!may_cancel(access_, request.peer, owners_of(**segments)))
    return error_answer({ErrorCode::forbidden,
                         "user " + std::to_string(request.peer.uid) + " may not cancel this upload",
                         "its owner, root and socket.admins may", ""});
  auto reason = cancel_reason(request.body);
  if (!reason) return error_answer(reason.error());
  const auto document = upload_document(state_, **segments, ports_.moment());
  if (document.view.progress.completed) return json_answer(200, upload_json(document));
  if (state_.settings.has_controller && is_synced(state_.uplink))
    return error_answer({ErrorCode::conflict, "the controller decides about this upload",
                         "ask the controller", ""});
  CancelOrder order{
      {(*segments)->begin(), (*segments)->end()}, request.peer.uid, std::move(*reason)};
  if (auto done = ports_.cancel(order); !done) return error_answer(done.error());
  const auto after = find(id);
  return json_answer(
      202, upload_json(after ? upload_document(state_, **after, ports_.moment()) : document));
}

void QueryApi::start_watch(const HttpRequest& request, HttpResponder responder) {
  const auto query = parse_upload_query(request.query);
  if (!query) return responder.send(error_answer(query.error()));
  if (watches_.size() >= kMaxWatches)
    return responder.send(
        error_answer({ErrorCode::busy, "too many clients watch already", "try again later", ""}));
  HttpResponse head;
  head.content_type = "application/x-ndjson";
  watches_.emplace_back(*query, responder.stream(std::move(head)));
  if (!watches_.back().pump(state_, ports_.moment())) watches_.pop_back();
}

void QueryApi::pump_watches() {
  const auto moment = watches_.empty() ? Moment{} : ports_.moment();
  std::erase_if(watches_, [&](UploadWatch& watch) { return !watch.pump(state_, moment); });
}

}  // namespace plimsoll
