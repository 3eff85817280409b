// client.cpp - calls, pages, watch lines and the errors they end in.
#include "cli/client.hpp"

#include <utility>

#include "cli/documents.hpp"
#include "runtime/http/http_client.hpp"
#include "runtime/http/url.hpp"
#include "schemas/text.hpp"

namespace plimsoll::cli {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 32;
constexpr int kMaxPages = 10'000;
constexpr milliseconds kWatchSilence{35'000};  // two bookmarks of 15 s, and some

bool is_success(int status) {
  return status >= 200 && status < 300;
}

ErrorCode code_of(int status, std::string_view said) {
  for (const auto& row : kErrorCodes)
    if (row.word == said) return row.code;
  switch (status) {
    case 400:
      return ErrorCode::bad_request;
    case 401:
    case 403:
      return ErrorCode::forbidden;
    case 404:
      return ErrorCode::not_found;
    case 405:
      return ErrorCode::method;
    case 409:
      return ErrorCode::conflict;
    case 410:
      return ErrorCode::gone;
    case 413:
      return ErrorCode::too_large;
    case 429:
      return ErrorCode::busy;
    case 503:
      return ErrorCode::store_unavailable;
    default:
      return ErrorCode::internal;
  }
}

// What a person can do, where the server did not say.
std::string default_hint(ErrorCode code) {
  switch (code) {
    case ErrorCode::not_found:
      return "see what there is: plimsoll get backups, plimsoll get uploads";
    case ErrorCode::forbidden:
      return "ask root, an admin of the socket, or the owner of the upload";
    case ErrorCode::store_unavailable:
      return "the store cannot commit just now; try again";
    case ErrorCode::busy:
      return "try again in a moment";
    default:
      return "";
  }
}

json parse_bounded(std::string_view text) {
  const auto shallow = [](int depth, json::parse_event_t, json&) { return depth <= kMaxDepth; };
  return json::parse(text, shallow, false);
}

HttpCall http_of(const Endpoint& endpoint, const Request& request, milliseconds timeout) {
  HttpCall call;
  call.socket = endpoint.socket;
  call.method = request.method;
  call.path = request.path;
  if (request.body) call.body = request.body->dump(-1, ' ', false, json::error_handler_t::replace);
  call.timeout = timeout;
  if (timeout > milliseconds(0) && timeout < call.connect_timeout) call.connect_timeout = timeout;
  return call;
}

std::optional<WatchEvent> watch_event(std::string_view line) {
  auto value = parse_bounded(line);
  if (!value.is_object() || !value.contains("object")) return std::nullopt;
  return WatchEvent{text_at(value, "type"), std::move(value["object"])};
}

}  // namespace

Error error_of_reply(int status, std::string_view body, Daemon daemon) {
  const auto document = parse_bounded(body);
  Error error;
  error.code = code_of(status, text_at(document, "code"));
  error.message = text_at(document, "message");
  error.hint = text_at(document, "hint");
  error.field = text_at(document, "field");
  if (error.message.empty())
    error.message = "the " + std::string(word(daemon)) + " answered " + std::to_string(status);
  if (const auto when = text_at(document, "deletedAt"); !when.empty())
    error.message += " (deleted at " + when + ")";
  if (error.hint.empty()) error.hint = default_hint(error.code);
  return error;
}

Result<json> parse_reply(std::string_view body, Daemon daemon) {
  if (body.find_first_not_of(" \r\n\t") == body.npos) return json();
  auto value = parse_bounded(body);
  if (value.is_discarded())
    return fail(ErrorCode::internal,
                "read the answer of the " + std::string(word(daemon)) + ": it is no valid JSON",
                "is another program listening on that socket? see --controller and --agent");
  return value;
}

Client::Client(Endpoint endpoint, milliseconds timeout)
    : endpoint_(std::move(endpoint)), timeout_(timeout) {}

Result<Answer> Client::send(const Request& request) const {
  const auto reply = http_call(http_of(endpoint_, request, timeout_));
  if (!reply) return fail(reply.error());
  if (!is_success(reply->status))
    return fail(error_of_reply(reply->status, reply->body, endpoint_.daemon));
  auto document = parse_reply(reply->body, endpoint_.daemon);
  if (!document) return fail(document.error());
  return Answer{reply->status, std::move(*document)};
}

Result<json> Client::get(const std::string& path) const {
  return call({"GET", path, {}});
}

Result<json> Client::call(const Request& request) const {
  auto answer = send(request);
  if (!answer) return fail(answer.error());
  return std::move(answer->document);
}

Result<std::vector<json>> Client::list(const std::string& path) const {
  std::vector<json> items;
  std::string token;
  for (int page = 0; page < kMaxPages; ++page) {
    auto answer = get(with_query(path, "continue", token));
    if (!answer) return fail(answer.error());
    if (!answer->is_object() || !(*answer)["items"].is_array())
      return fail(ErrorCode::internal, "read a list from the " +
                                           std::string(word(endpoint_.daemon)) +
                                           ": the answer has no items");
    for (auto& item : (*answer)["items"])
      items.push_back(std::move(item));
    token = text_at(*answer, "metadata/continue");
    if (token.empty()) return items;
  }
  return fail(ErrorCode::limit, "read a list: it does not end");
}

Result<void> Client::follow(const Follow& follow) const {
  auto call = http_of(endpoint_, {"GET", follow.path, {}}, kWatchSilence);
  call.keep_going = follow.keep_going;
  const auto reply = http_lines(call, [&](std::string_view line) {
    auto event = watch_event(line);
    return !event || follow.take(std::move(*event));  // a line of a newer daemon is passed over
  });
  if (!reply) return reply.error().code == ErrorCode::closed ? Result<void>() : fail(reply.error());
  if (!is_success(reply->status))
    return fail(error_of_reply(reply->status, reply->body, endpoint_.daemon));
  return {};
}

std::string backup_path(std::string_view name) {
  return "/v1/backups/" + percent_encode(name);
}

std::string upload_path(std::string_view id) {
  return "/v1/uploads/" + percent_encode(id);
}

std::string with_query(std::string path, std::string_view key, std::string_view value) {
  if (value.empty()) return path;
  path += path.find('?') == path.npos ? '?' : '&';
  return path.append(key) + "=" + percent_encode(value);
}

}  // namespace plimsoll::cli
