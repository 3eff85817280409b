// yaml_text.hpp - a JSON value as block YAML 1.2 that every reader takes back as the same value.
// Pure.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::cli {

// Ends with a newline. Strings are quoted whenever a YAML 1.1 or 1.2 reader might see anything
// else.
[[nodiscard]] std::string to_yaml(const nlohmann::json& value);

}  // namespace plimsoll::cli
