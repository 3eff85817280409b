// answer.hpp - values → HTTP answers: JSON bodies, error bodies, the headers that go with a code.
// Pure.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "controller/core/api_calls.hpp"
#include "runtime/http/http_message.hpp"
#include "schemas/result.hpp"

namespace plimsoll {

[[nodiscard]] HttpResponse json_answer(int status, const nlohmann::json& body);
[[nodiscard]] HttpResponse text_answer(int status, std::string text);

// The status of the code; Retry-After where trying again helps.
[[nodiscard]] HttpResponse error_answer(const Error& error);
// Also `deletedAt` of what is gone.
[[nodiscard]] HttpResponse error_answer(const ApiError& error);

// Body of the answers that the HTTP server gives by itself.
[[nodiscard]] std::string render_server_error(int status, std::string_view message);

}  // namespace plimsoll
