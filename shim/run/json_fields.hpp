// json_fields.hpp - one field of a tool's JSON record, whatever the tool put there.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace plimsoll {

// A count from outside: absent, negative, not a number or absurd reads as 0; too large saturates.
[[nodiscard]] std::int64_t count_of(const nlohmann::json& record, const char* key);

// Valid UTF-8 of at most `max_bytes`; "" if it is absent or no text.
[[nodiscard]] std::string text_of(const nlohmann::json& record, const char* key,
                                  std::size_t max_bytes);

[[nodiscard]] bool true_of(const nlohmann::json& record, const char* key);

}  // namespace plimsoll
