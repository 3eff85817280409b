// answer.cpp - see answer.hpp.
#include "controller/io/api/answer.hpp"

#include <nlohmann/json.hpp>

#include "schemas/api_json.hpp"

namespace plimsoll {
namespace {

constexpr const char* kRetryStoreSeconds =
    "5";  // a store that cannot commit is tried again every second
constexpr const char* kRetryBusySeconds = "1";

ErrorCode code_of_status(int status) {
  if (status == 503) return ErrorCode::store_unavailable;
  for (const auto& row : kErrorCodes)
    if (row.http_status == status) return row.code;
  return status >= 500 ? ErrorCode::internal : ErrorCode::bad_request;
}

}  // namespace

HttpResponse json_answer(int status, const nlohmann::json& body) {
  HttpResponse response;
  response.status = status;
  response.body = dump_json(body) + "\n";
  return response;
}

HttpResponse text_answer(int status, std::string text) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(text);
  response.content_type = "text/plain; charset=utf-8";
  return response;
}

HttpResponse error_answer(const Error& error) {
  return error_answer(ApiError{error, {}});
}

HttpResponse error_answer(const ApiError& error) {
  auto body = error_json(error.error);
  if (error.deleted_at) body["deletedAt"] = rfc3339(*error.deleted_at);
  auto response = json_answer(info(error.error.code).http_status, body);
  if (response.status == 503) response.headers.emplace_back("Retry-After", kRetryStoreSeconds);
  if (response.status == 429) response.headers.emplace_back("Retry-After", kRetryBusySeconds);
  return response;
}

std::string render_server_error(int status, std::string_view message) {
  const Error error{code_of_status(status), std::string(message), "", ""};
  return dump_json(error_json(error)) + "\n";
}

}  // namespace plimsoll
