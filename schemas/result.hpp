// result.hpp - how a function says that it failed: Result<T>, with one Error type for the whole
// house. An Error is "we could not do or learn it". A failed upload is no Error: it is
// UploadProgress::err.
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

#include "schemas/error_codes.hpp"

namespace plimsoll {

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;  // operation, object, cause: "open segment 'x': permission denied (EACCES)"
  std::string hint;     // what to do next; may be empty
  std::string field;    // the input field at fault, e.g. "spec.items[0].item"; may be empty
};

template <typename T>
using Result = tl::expected<T, Error>;

using Failure = tl::unexpected<Error>;

// Failure fail(code, message[, hint[, field]]): `return fail(ErrorCode::io, "…");`
[[nodiscard]] inline Failure fail(ErrorCode code, std::string message, std::string hint = "",
                                  std::string field = "") {
  return Failure(Error{code, std::move(message), std::move(hint), std::move(field)});
}

[[nodiscard]] inline Failure fail(Error error) {
  return Failure(std::move(error));
}

// The programmer's own mistake: aborts in every build, with the place. Never for input from
// outside.
[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace plimsoll

#define PLIMSOLL_CHECK(condition) \
  ((condition) ? (void)0 : ::plimsoll::check_failed(#condition, __FILE__, __LINE__))
