// result.cpp - the end of a program whose own rules are broken.
#include "schemas/result.hpp"

#include <cstdio>
#include <cstdlib>

namespace plimsoll {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "plimsoll: broken invariant '%s' at %s:%d\n", condition, file, line);
  std::abort();
}

}  // namespace plimsoll
