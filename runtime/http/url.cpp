// url.cpp - percent-encoding.
#include "runtime/http/url.hpp"

#include <algorithm>
#include <cstdint>

#include "schemas/text.hpp"

namespace plimsoll {
namespace {

constexpr std::string_view kHexDigits = "0123456789ABCDEF";

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~").find(c) != std::string_view::npos;
}

Result<std::vector<std::string>> decode_pieces(std::string_view text) {
  std::vector<std::string> pieces;
  while (true) {
    const auto end = std::min(text.find('/'), text.size());
    auto piece = percent_decode(text.substr(0, end));
    if (!piece) return fail(std::move(piece.error()));
    pieces.push_back(std::move(*piece));
    if (end == text.size()) return pieces;
    text.remove_prefix(end + 1);
  }
}

// In a query '+' is a space, as forms and `curl --data-urlencode` write it.
Result<std::string> decode_query_part(std::string_view part) {
  std::string spaced(part);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return percent_decode(spaced);
}

}  // namespace

Result<std::string> percent_decode(std::string_view piece) {
  const auto refuse = [piece](const std::string& why) {
    return fail(ErrorCode::bad_request, "decode " + quoted(piece) + ": " + why);
  };
  std::string out;
  out.reserve(piece.size());
  for (std::size_t i = 0; i < piece.size(); ++i) {
    char c = piece[i];
    if (c == '%') {
      const int high = i + 2 < piece.size() ? hex_value(piece[i + 1]) : -1;
      const int low = high >= 0 ? hex_value(piece[i + 2]) : -1;
      if (low < 0) return refuse("'%' is not followed by two hex digits");
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (is_control(c)) return refuse("it contains a control character");
    out += c;
  }
  if (!is_valid_utf8(out)) return refuse("it is no valid UTF-8");
  return out;
}

std::string percent_encode(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_unreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<std::uint8_t>(c);
    out += '%';
    out += kHexDigits[byte >> 4U];
    out += kHexDigits[byte & 0xfU];
  }
  return out;
}

Result<std::vector<std::string>> decode_path(std::string_view path) {
  if (path.empty() || path.front() != '/')
    return fail(ErrorCode::bad_request,
                "decode path " + quoted(path) + ": it does not begin with '/'");
  return decode_pieces(path.substr(1));
}

Result<QueryFields> decode_query(std::string_view query) {
  QueryFields fields;
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    const auto pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.empty()) continue;
    if (fields.size() == kMaxQueryFields)
      return fail(ErrorCode::bad_request,
                  "decode the query: more than " + std::to_string(kMaxQueryFields) + " fields");
    const auto equals = std::min(pair.find('='), pair.size());
    auto key = decode_query_part(pair.substr(0, equals));
    if (!key) return fail(std::move(key.error()));
    auto value = decode_query_part(pair.substr(std::min(equals + 1, pair.size())));
    if (!value) return fail(std::move(value.error()));
    fields.emplace_back(std::move(*key), std::move(*value));
  }
  return fields;
}

}  // namespace plimsoll
