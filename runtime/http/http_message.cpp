// http_message.cpp - looks up headers and query values.
#include "runtime/http/http_message.hpp"

#include <strings.h>

#include <algorithm>

namespace plimsoll {

std::optional<std::string_view> HttpRequest::header(std::string_view name) const {
  const auto same = [name](const auto& header) {
    return header.first.size() == name.size() &&
           ::strncasecmp(header.first.data(), name.data(), name.size()) == 0;
  };
  const auto found = std::find_if(headers.begin(), headers.end(), same);
  if (found == headers.end()) return std::nullopt;
  return found->second;
}

std::optional<std::string_view> HttpRequest::query_value(std::string_view key) const {
  const auto found = std::find_if(query.begin(), query.end(),
                                  [key](const auto& field) { return field.first == key; });
  if (found == query.end()) return std::nullopt;
  return found->second;
}

}  // namespace plimsoll
