// system_error.cpp - the errno table of the shim.
#include "shim/system_error.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

namespace plimsoll {
namespace {

struct Meaning {
  ErrorCode code;
  const char* hint;
};

Meaning meaning_of(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return {ErrorCode::not_found, "start plimsoll-agent, or set PLIMSOLL_RUN_DIR"};
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return {ErrorCode::no_space,
              "make room on the directory's file system, or enlarge its tmpfs"};
    case EACCES:
    case EPERM:
    case EROFS:
      return {ErrorCode::permission, "join the directory's group (plimsoll)"};
    default:
      return {ErrorCode::io, ""};
  }
}

}  // namespace

Error system_error(std::string operation, int error_number) {
  const auto [code, hint] = meaning_of(error_number);
  const std::string cause = std::generic_category().message(error_number);
  return {code, std::move(operation) + ": " + cause, hint, ""};
}

}  // namespace plimsoll
