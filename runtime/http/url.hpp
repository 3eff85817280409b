// url.hpp - percent-encoding with the refusals the library lacks. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schemas/result.hpp"

namespace plimsoll {

using QueryFields = std::vector<std::pair<std::string, std::string>>;

// One piece between slashes, decoded. bad_request: a broken escape, %00 or another control byte, or
// no valid UTF-8.
Result<std::string> percent_decode(std::string_view piece);

// Everything but letters, digits and "-._~" as %XX; the inverse of percent_decode.
std::string percent_encode(std::string_view text);

// "/v1/items/a%2Fb" → {"v1", "items", "a/b"}: split at '/', then decoded. The path must begin with
// '/'; empty pieces ("//", a trailing '/') are kept as empty strings. "/" → {""}.
Result<std::vector<std::string>> decode_path(std::string_view path);

// "a=1&b=x+y" → {{"a","1"},{"b","x y"}}, each part decoded as above; at most kMaxQueryFields.
Result<QueryFields> decode_query(std::string_view query);

inline constexpr std::size_t kMaxQueryFields = 64;

}  // namespace plimsoll
