// errno_error_test.cpp - numbers of the system as errors of ours.
#include "runtime/errno_error.hpp"

#include <cerrno>

#include <catch2/catch.hpp>

using namespace plimsoll;

TEST_CASE("an error names operation, cause and the system's name") {
  const Error error = errno_error("open 'x'", EACCES);
  CHECK(error.message == "open 'x': permission denied (EACCES)");
  CHECK(error.code == ErrorCode::permission);
}

TEST_CASE("codes say what the caller can do") {
  const auto code = [](int number) { return errno_error("do", number).code; };
  CHECK(code(ENOENT) == ErrorCode::not_found);
  CHECK(code(ENOSPC) == ErrorCode::no_space);
  CHECK(code(EMFILE) == ErrorCode::limit);
  CHECK(code(EAGAIN) == ErrorCode::busy);
  CHECK(code(ELOOP) == ErrorCode::bad_request);
  CHECK(code(ECONNREFUSED) == ErrorCode::unreachable);
  CHECK(code(EPIPE) == ErrorCode::closed);
  CHECK(code(EIO) == ErrorCode::io);
}

TEST_CASE("the event library's negative numbers and unknown ones are understood") {
  CHECK(errno_error("do", -ENOENT).message == "do: no such file or directory (ENOENT)");
  CHECK(errno_error("do", 4242).message == "do: unknown error (4242)");
}
