// json_fields.cpp - the strict reader.
#include "controller/io/api/json_fields.hpp"

#include <algorithm>
#include <numeric>

#include <nlohmann/json.hpp>

#include "schemas/names.hpp"
#include "schemas/text.hpp"

namespace plimsoll {
namespace {

using nlohmann::json;

constexpr std::size_t kNear = 3;  // edits

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U);
      row[j] = std::min({above + 1, row[j - 1] + 1, replaced});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string listed(const std::vector<std::string_view>& words) {
  std::string list;
  for (const auto word : words)
    list += (list.empty() ? "" : ", ") + std::string(word);
  return list;
}

}  // namespace

std::string nearest_word(std::string_view word, const std::vector<std::string_view>& known) {
  std::string best;
  std::size_t best_distance = kNear + 1;
  for (const auto candidate : known) {
    const auto distance = edit_distance(word.substr(0, 64), candidate);
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

JsonFields::JsonFields(const json& object, std::string path,
                       std::initializer_list<std::string_view> known)
    : object_(object), path_(std::move(path)) {
  if (!object.is_object()) {
    error_ = Error{ErrorCode::bad_request,
                   (path_.empty() ? "the body" : "'" + path_ + "'") + " is not a JSON object", "",
                   path_};
    return;
  }
  const std::vector<std::string_view> names(known);
  for (const auto& [key, value] : object.items()) {
    if (std::find(names.begin(), names.end(), key) != names.end()) continue;
    const auto near = nearest_word(key, names);
    refuse(cut_utf8(key, 64), "unknown field " + plimsoll::quoted(key),
           near.empty() ? "known here: " + listed(names) : "did you mean '" + near + "'?");
  }
}

std::string JsonFields::text(std::string_view key, std::size_t max_bytes) {
  const json* value = find(key);
  if (value == nullptr) return "";
  if (!value->is_string()) {
    refuse(key, "must be a text");
    return "";
  }
  auto text = value->get<std::string>();
  const auto checked = check_opaque(key, text, max_bytes);
  if (checked) return text;
  refuse(key, checked.error().message, checked.error().hint);
  return "";
}

bool JsonFields::flag(std::string_view key, bool otherwise) {
  const json* value = find(key);
  if (value == nullptr) return otherwise;
  if (value->is_boolean()) return value->get<bool>();
  refuse(key, "must be true or false");
  return otherwise;
}

std::uint32_t JsonFields::number(std::string_view key, std::uint32_t max) {
  const json* value = find(key);
  if (value == nullptr) return 0;
  if (value->is_number_unsigned() && value->get<std::uint64_t>() <= max)
    return value->get<std::uint32_t>();
  refuse(key, "must be a whole number from 0 to " + std::to_string(max));
  return 0;
}

std::size_t JsonFields::choice(std::string_view key,
                               std::initializer_list<std::string_view> words) {
  const json* value = find(key);
  if (value == nullptr) return 0;
  const std::string text = value->is_string() ? value->get<std::string>() : "";
  const auto* const found = std::find(words.begin(), words.end(), text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  refuse(key, "unknown value " + plimsoll::quoted(value->is_string() ? text : value->dump()),
         "one of: " + listed(words));
  return 0;
}

std::vector<std::string> JsonFields::texts(std::string_view key, std::size_t max_bytes) {
  std::vector<std::string> all;
  const json* values = array(key);
  if (values == nullptr) return all;
  for (const auto& value : *values) {
    const auto place = std::string(key) + "[" + std::to_string(all.size()) + "]";
    if (!value.is_string()) {
      refuse(place, "must be a text");
      return {};
    }
    all.emplace_back(clean_utf8(value.get<std::string>(), max_bytes));
  }
  return all;
}

const json* JsonFields::object(std::string_view key) {
  const json* value = find(key);
  if (value == nullptr || value->is_object()) return value;
  refuse(key, "must be an object");
  return nullptr;
}

const json* JsonFields::array(std::string_view key) {
  const json* value = find(key);
  if (value == nullptr || value->is_array()) return value;
  refuse(key, "must be an array");
  return nullptr;
}

void JsonFields::refuse(std::string_view key, const std::string& what, const std::string& hint) {
  if (error_) return;
  const auto field = path_of(key);
  error_ =
      Error{ErrorCode::bad_request, "field '" + escape_text(field) + "': " + what, hint, field};
}

void JsonFields::take(const std::optional<Error>& error) {
  if (!error_) error_ = error;
}

std::string JsonFields::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

const json* JsonFields::find(std::string_view key) const {
  if (!object_.is_object()) return nullptr;
  const auto found = object_.find(std::string(key));
  if (found == object_.end() || found->is_null()) return nullptr;
  return &*found;
}

}  // namespace plimsoll
