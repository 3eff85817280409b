// http_message.hpp - a request and an answer as plain values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/http/url.hpp"
#include "runtime/socket/peer_credentials.hpp"

namespace plimsoll {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method;  // "GET", "PUT", …, as sent
  std::string path;    // raw, still percent-encoded, without the query: see decode_path()
  QueryFields query;   // decoded, in order; the same key may come twice
  HttpHeaders headers;
  std::string body;  // at most HttpLimits::max_body_bytes
  PeerCredentials peer;

  // The first header of that name, whatever its case.
  std::optional<std::string_view> header(std::string_view name) const;
  // The first query value of that key.
  std::optional<std::string_view> query_value(std::string_view key) const;
};

struct HttpResponse {
  int status = 200;
  std::string body;
  std::string content_type = "application/json";
  HttpHeaders
      headers;  // further ones, e.g. {"Retry-After", "5"}; values with line breaks are dropped
};

}  // namespace plimsoll
