// header_is_clean.cpp - the C++17 wrapper alone: it compiles, or the build fails.
#include <plimsoll/plimsoll.hpp>

plimsoll_status use_wrapper();

plimsoll_status use_wrapper() {
  plimsoll::Options options;
  options.backup = "nightly";
  plimsoll::Upload upload(options);
  (void)upload.update(1, 2);
  plimsoll::Upload moved = std::move(upload);
  return moved.complete("snapshot");
}
