// call_body.hpp - route, query and body of a changing request → the call for the core; strict.
// Pure.
#pragma once

#include "controller/core/api_calls.hpp"
#include "controller/io/api/route.hpp"
#include "runtime/http/http_message.hpp"
#include "schemas/result.hpp"

namespace plimsoll {

[[nodiscard]] bool changes_something(RouteId route);

// bad_request with the field at fault ("spec.items[0].item") for whatever is not exactly as
// documented.
[[nodiscard]] Result<ApiCall> call_of(const Route& route, const HttpRequest& request);

}  // namespace plimsoll
