// json_fields.cpp - see json_fields.hpp.
#include "shim/run/json_fields.hpp"

#include <algorithm>

#include "schemas/text.hpp"
#include "shim/run/number_text.hpp"

namespace plimsoll {

std::int64_t count_of(const nlohmann::json& record, const char* key) {
  const auto found = record.find(key);
  if (found == record.end()) return 0;
  if (found->is_number_unsigned())
    return static_cast<std::int64_t>(std::min<std::uint64_t>(
        found->get<std::uint64_t>(), static_cast<std::uint64_t>(kMaxCount)));
  if (found->is_number_integer()) return std::max<std::int64_t>(found->get<std::int64_t>(), 0);
  if (!found->is_number_float()) return 0;
  return saturated(found->get<double>());
}

std::string text_of(const nlohmann::json& record, const char* key, std::size_t max_bytes) {
  const auto found = record.find(key);
  if (found == record.end() || !found->is_string()) return "";
  return clean_utf8(found->get_ref<const std::string&>(), max_bytes);
}

bool true_of(const nlohmann::json& record, const char* key) {
  const auto found = record.find(key);
  return found != record.end() && found->is_boolean() && found->get<bool>();
}

}  // namespace plimsoll
