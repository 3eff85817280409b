// errno_error.cpp - one table from errno to error codes.
#include "runtime/errno_error.hpp"

#include <cctype>
#include <cerrno>
#include <cstring>
#include <utility>

namespace plimsoll {
namespace {

ErrorCode code_of(int number) {
  switch (number) {
    case ENOENT:
      return ErrorCode::not_found;
    case EEXIST:
      return ErrorCode::exists;
    case EACCES:
    case EPERM:
    case EROFS:
      return ErrorCode::permission;
    case ENOSPC:
    case EDQUOT:
      return ErrorCode::no_space;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOBUFS:
      return ErrorCode::limit;
    case EADDRINUSE:
      return ErrorCode::address_in_use;
    case EAGAIN:
    case EBUSY:
    case ETXTBSY:
      return ErrorCode::busy;
    case ECONNREFUSED:
    case EPROTOTYPE:
      return ErrorCode::unreachable;
    case ETIMEDOUT:
      return ErrorCode::timeout;
    case EPIPE:
    case ECONNRESET:
    case ENOTCONN:
      return ErrorCode::closed;
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
    case EXDEV:
    case EINVAL:
    case ENAMETOOLONG:
      return ErrorCode::bad_request;
    default:
      return ErrorCode::io;
  }
}

std::string description_of(int number) {
  const char* known = strerrordesc_np(number);  // never translated, unlike strerror
  std::string text = known != nullptr ? known : "unknown error";
  text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

std::string name_of(int number) {
  const char* known = strerrorname_np(number);
  return known != nullptr ? known : std::to_string(number);
}

}  // namespace

Error errno_error(std::string operation, int error_number) {
  const int number = error_number < 0 ? -error_number : error_number;
  std::string text = std::move(operation);
  text += ": " + description_of(number) + " (" + name_of(number) + ")";
  return Error{code_of(number), std::move(text), "", ""};
}

Failure errno_failure(std::string operation, int error_number) {
  return fail(errno_error(std::move(operation), error_number));
}

}  // namespace plimsoll
