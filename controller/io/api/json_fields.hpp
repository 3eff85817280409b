// json_fields.hpp - reads the fields of one JSON object strictly: unknown keys, wrong types and
// values out of range are refused with the field's full path. Pure.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schemas/result.hpp"

namespace plimsoll {

// Keeps the first error and reads on with defaults, so callers ask once, at the end.
class JsonFields {
 public:
  // `path` of the object, "" for the body itself. `object` must outlive the reader.
  JsonFields(const nlohmann::json& object, std::string path,
             std::initializer_list<std::string_view> known);

  // Absent (or null) gives the default.
  [[nodiscard]] std::string text(std::string_view key, std::size_t max_bytes);
  [[nodiscard]] bool flag(std::string_view key, bool otherwise);
  [[nodiscard]] std::uint32_t number(std::string_view key, std::uint32_t max);
  // The value's position in `words`; position 0 is the default.
  [[nodiscard]] std::size_t choice(std::string_view key,
                                   std::initializer_list<std::string_view> words);
  [[nodiscard]] std::vector<std::string> texts(std::string_view key, std::size_t max_bytes);

  // nullptr when absent.
  [[nodiscard]] const nlohmann::json* object(std::string_view key);
  [[nodiscard]] const nlohmann::json* array(std::string_view key);

  // For findings of the caller; only the first one counts.
  void refuse(std::string_view key, const std::string& what, const std::string& hint = "");
  // An error of a part of this object, with a field path of its own already.
  void take(const std::optional<Error>& error);

  [[nodiscard]] std::string path_of(std::string_view key) const;
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  [[nodiscard]] const nlohmann::json* find(std::string_view key) const;

  const nlohmann::json& object_;
  std::string path_;
  std::optional<Error> error_;
};

// The known word nearest to `word` for "did you mean …", or "" if none is near.
[[nodiscard]] std::string nearest_word(std::string_view word,
                                       const std::vector<std::string_view>& known);

}  // namespace plimsoll
