// manifest.hpp - what `backup create` is given: item flags, and a file of Kubernetes objects.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "schemas/result.hpp"

namespace plimsoll::cli {

// "ITEM[,snapshot=S][,volume=V][,parts=N]" → an entry of spec.items. ErrorCode::usage. Pure.
[[nodiscard]] Result<nlohmann::json> parse_item_flag(std::string_view text);

// The objects in JSON text: one object, an array, or a List with items → an array. Pure.
[[nodiscard]] Result<nlohmann::json> parse_manifests(std::string_view text, std::string_view file);

// The same from a file, "-" = stdin; at most 1 MiB, the bound of a request.
[[nodiscard]] Result<nlohmann::json> read_manifests(const std::string& file);

}  // namespace plimsoll::cli
