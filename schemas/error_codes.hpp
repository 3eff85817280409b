// error_codes.hpp - the one list of error codes: word, HTTP status, exit code, meaning.
// A code says what the caller can do. Words and numbers are seen by users: never rename, append
// only.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace plimsoll {

enum class ErrorCode : std::uint16_t {  // never renumber
  internal = 0,
  bad_request = 1,
  forbidden = 2,
  not_found = 3,
  gone = 4,
  method = 5,
  conflict = 6,
  sealed = 7,
  empty = 8,
  exists = 9,
  too_large = 10,
  busy = 11,
  store_unavailable = 12,
  io = 20,
  corrupt = 21,
  unsupported = 22,
  closed = 23,
  limit = 24,
  no_space = 25,
  permission = 26,
  unreachable = 27,
  timeout = 28,
  config = 29,
  usage = 30,
  address_in_use = 31,
  store_io = 32,
  cannot_create = 33,
};

struct ErrorCodeInfo {
  ErrorCode code;
  std::string_view word;  // in JSON error bodies and logs
  int http_status;        // 500 for codes that no request can cause
  int exit_code;  // of a client command or a daemon (contract: "Command line and exit codes")
  std::string_view meaning;  // one line for docs
};

inline constexpr std::array kErrorCodes = {
    ErrorCodeInfo{ErrorCode::internal, "internal", 500, 1, "a fault in Plimsoll itself"},
    ErrorCodeInfo{ErrorCode::bad_request, "bad_request", 400, 1, "the input is not well formed"},
    ErrorCodeInfo{ErrorCode::forbidden, "forbidden", 403, 77, "this user may not do that"},
    ErrorCodeInfo{ErrorCode::not_found, "not_found", 404, 4, "there is nothing of that name"},
    ErrorCodeInfo{ErrorCode::gone, "gone", 410, 4, "it was deleted not long ago"},
    ErrorCodeInfo{ErrorCode::method, "method", 405, 1, "this path does not know that method"},
    ErrorCodeInfo{ErrorCode::conflict, "conflict", 409, 1, "it clashes with what is there"},
    ErrorCodeInfo{ErrorCode::sealed, "sealed", 409, 1, "the backup is sealed and not over"},
    ErrorCodeInfo{ErrorCode::empty, "empty", 409, 1, "a backup without items"},
    ErrorCodeInfo{ErrorCode::exists, "exists", 409, 1, "the name is taken"},
    ErrorCodeInfo{ErrorCode::too_large, "too_large", 413, 1, "the request is larger than 1 MiB"},
    ErrorCodeInfo{ErrorCode::busy, "busy", 429, 1, "too many requests or objects at once"},
    ErrorCodeInfo{ErrorCode::store_unavailable, "store_unavailable", 503, 1,
                  "the store cannot commit"},
    ErrorCodeInfo{ErrorCode::io, "io", 500, 1, "the system refused a read or write"},
    ErrorCodeInfo{ErrorCode::corrupt, "corrupt", 500, 65, "bytes that do not verify"},
    ErrorCodeInfo{ErrorCode::unsupported, "unsupported", 500, 65,
                  "a version this build does not know"},
    ErrorCodeInfo{ErrorCode::closed, "closed", 500, 1, "the other side has gone"},
    ErrorCodeInfo{ErrorCode::limit, "limit", 500, 1, "a configured bound was reached"},
    ErrorCodeInfo{ErrorCode::no_space, "no_space", 500, 1, "no room left on the device"},
    ErrorCodeInfo{ErrorCode::permission, "permission", 500, 77, "the system denies access"},
    ErrorCodeInfo{ErrorCode::unreachable, "unreachable", 500, 69, "the daemon does not answer"},
    ErrorCodeInfo{ErrorCode::timeout, "timeout", 500, 124, "the time allowed has passed"},
    ErrorCodeInfo{ErrorCode::config, "config", 500, 78, "the configuration is wrong"},
    ErrorCodeInfo{ErrorCode::usage, "usage", 500, 2, "the command line is wrong"},
    ErrorCodeInfo{ErrorCode::address_in_use, "address_in_use", 500, 69,
                  "another instance serves there"},
    ErrorCodeInfo{ErrorCode::store_io, "store_io", 503, 74, "the store's disk fails"},
    ErrorCodeInfo{ErrorCode::cannot_create, "cannot_create", 500, 73,
                  "a file or directory cannot be made"},
};

// Never fails: an unknown code reads as `internal`.
constexpr const ErrorCodeInfo& info(ErrorCode code) {
  for (const auto& row : kErrorCodes)
    if (row.code == code) return row;
  return kErrorCodes[0];
}

constexpr std::string_view word(ErrorCode code) {
  return info(code).word;
}

}  // namespace plimsoll
