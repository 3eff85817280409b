// api_json.hpp - JSON of the HTTP API that agent and controller share: uploads, lists, errors,
// times. A target of its own (plimsoll_schemas_json), so that pure cores need not see the JSON
// library.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "schemas/result.hpp"
#include "schemas/upload_document.hpp"

namespace plimsoll {

inline constexpr std::string_view kApiVersion = "plimsoll.dev/v1";

// RFC 3339 with milliseconds, UTC: 2026-12-01T17:06:00.000Z.
[[nodiscard]] std::string rfc3339(WallTime time);

// Just `status`, as it also stands in a Backup's uploadProgress map.
[[nodiscard]] nlohmann::json upload_status_json(const UploadDocument& upload);
[[nodiscard]] nlohmann::json upload_json(const UploadDocument& upload);

// {"apiVersion","kind","metadata":{"continue"?},"items"}
[[nodiscard]] nlohmann::json list_json(std::string_view kind, nlohmann::json items,
                                       std::string_view continue_token = "");

// The body of every non-2xx answer.
[[nodiscard]] nlohmann::json error_json(const Error& error);

// One line, invalid UTF-8 replaced; never throws.
[[nodiscard]] std::string dump_json(const nlohmann::json& value);

// Text from outside → JSON, at most 1 MiB and depth 16; never throws. `what` names the source in
// the error.
[[nodiscard]] Result<nlohmann::json> parse_json(std::string_view text, std::string_view what);

}  // namespace plimsoll
