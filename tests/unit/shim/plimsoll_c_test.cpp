// plimsoll_c_test.cpp - libplimsoll.so as a mover sees it: the C ABI, its promises, its
// dependencies.
#include <catch2/catch.hpp>

#include <plimsoll/plimsoll.h>

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>

#include "tests/support/child_process.hpp"
#include "tests/support/segment_file.hpp"

using plimsoll::Outcome;
using plimsoll::test::run_in_child;
using plimsoll::test::SegmentDirectory;
using plimsoll::test::SegmentFile;
using plimsoll::test::skip_without;

namespace {

plimsoll_options options_in(const std::string& directory) {
  plimsoll_options options{};
  options.size = sizeof options;
  options.backup = "nightly";
  options.directory = directory.c_str();
  return options;
}

plimsoll_status open_status(const plimsoll_options& options) {
  plimsoll_upload* upload = nullptr;
  const auto status = plimsoll_open(&options, &upload);
  CHECK(upload != nullptr);
  CHECK(plimsoll_status_of(upload, nullptr, 0) == status);
  if (status != PLIMSOLL_OK) CHECK(plimsoll_update(upload, 1, 1) == PLIMSOLL_DISABLED);
  plimsoll_close(upload);
  return status;
}

std::string output_of(const std::string& command) {
  std::string text;
  std::array<char, 4096> piece{};
  FILE* stream = popen(command.c_str(), "r");
  REQUIRE(stream != nullptr);
  while (fgets(piece.data(), static_cast<int>(piece.size()), stream) != nullptr)
    text += piece.data();
  REQUIRE(pclose(stream) == 0);
  return text;
}

// Under the strictest seccomp only read, write and exit survive: any other call is the end.
int update_under_seccomp(plimsoll_upload* upload) {
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) return 1;
  for (int i = 1; i <= 100000; ++i) {
    (void)plimsoll_update(upload, i, 200000);
    (void)plimsoll_add(upload, 1);
    (void)plimsoll_set(upload, PLIMSOLL_READ, i);
    if (plimsoll_cancel_requested(upload) != 0) syscall(SYS_exit, 2);
  }
  return 0;
}

}  // namespace

TEST_CASE("a mover reports through the library from open to complete") {
  const SegmentDirectory directory;
  auto options = options_in(directory.path());
  const char* labels[] = {"team=storage", "tier=gold"};
  options.labels = labels;
  options.label_count = 2;
  options.part = "1";
  options.parts_total = 2;
  options.units = "files";
  plimsoll_upload* upload = nullptr;
  REQUIRE(plimsoll_open(&options, &upload) == PLIMSOLL_OK);
  const SegmentFile file(directory.only_segment());
  const auto identity = file.identity().identity;
  CHECK(identity.labels == std::vector<std::string>{"team=storage", "tier=gold"});
  CHECK(identity.units == "files");
  CHECK(identity.parts_total == 2);
  CHECK_FALSE(identity.auto_backup);
  CHECK(plimsoll_update(upload, 10, 20) == PLIMSOLL_OK);
  CHECK(plimsoll_describe(upload, "half way") == PLIMSOLL_OK);
  CHECK(plimsoll_event(upload, PLIMSOLL_ERROR, "one file unread") == PLIMSOLL_OK);
  CHECK(plimsoll_event(upload, 4, "no such severity") == PLIMSOLL_INVALID);
  CHECK(plimsoll_complete(upload, "snap") == PLIMSOLL_OK);
  CHECK(plimsoll_complete(upload, "snap") == PLIMSOLL_ENDED);
  CHECK(file.page().sample->description == "half way");
  CHECK(file.page().terminal->outcome == Outcome::durable);
  CHECK_FALSE(file.page().made_by_run);
  CHECK(file.is_locked());
  plimsoll_close(upload);
  CHECK_FALSE(file.is_locked());
}

TEST_CASE("closing without a result leaves none") {
  const SegmentDirectory directory;
  plimsoll_upload* upload = nullptr;
  const auto options = options_in(directory.path());
  REQUIRE(plimsoll_open(&options, &upload) == PLIMSOLL_OK);
  CHECK(plimsoll_update(upload, 20, 20) == PLIMSOLL_OK);
  plimsoll_close(upload);
  const SegmentFile file(directory.only_segment());
  CHECK_FALSE(file.page().terminal);
}

TEST_CASE("a NULL handle is a disabled handle, and NULL places are refused") {
  CHECK(plimsoll_update(nullptr, 1, 1) == PLIMSOLL_DISABLED);
  CHECK(plimsoll_add(nullptr, 1) == PLIMSOLL_DISABLED);
  CHECK(plimsoll_set(nullptr, PLIMSOLL_READ, 1) == PLIMSOLL_DISABLED);
  CHECK(plimsoll_describe(nullptr, "x") == PLIMSOLL_DISABLED);
  CHECK(plimsoll_event(nullptr, PLIMSOLL_INFO, "x") == PLIMSOLL_DISABLED);
  CHECK(plimsoll_complete(nullptr, nullptr) == PLIMSOLL_DISABLED);
  CHECK(plimsoll_fail(nullptr, nullptr, 0) == PLIMSOLL_DISABLED);
  CHECK(plimsoll_incomplete(nullptr, nullptr, nullptr) == PLIMSOLL_DISABLED);
  CHECK(plimsoll_canceled(nullptr) == PLIMSOLL_DISABLED);
  CHECK(plimsoll_cancel_requested(nullptr) == 0);
  char text[64] = "";
  CHECK(plimsoll_status_of(nullptr, text, sizeof text) == PLIMSOLL_DISABLED);
  CHECK(std::string(text) == "disabled: no handle");
  plimsoll_close(nullptr);
  CHECK(plimsoll_open(nullptr, nullptr) == PLIMSOLL_INVALID);
  CHECK(plimsoll_abi_version() == PLIMSOLL_ABI_VERSION);
}

TEST_CASE("open answers what is wrong with the options") {
  const SegmentDirectory directory;
  auto options = options_in(directory.path());
  SECTION("nothing") {
    CHECK(open_status(options) == PLIMSOLL_OK);
  }
  SECTION("no size") {
    options.size = 0;
    CHECK(open_status(options) == PLIMSOLL_INVALID);
  }
  SECTION("a long name") {
    const std::string name(254, 'a');
    options.backup = name.c_str();
    CHECK(open_status(options) == PLIMSOLL_TOO_LONG);
  }
  SECTION("a name that is none") {
    options.backup = "Nightly Backup";
    CHECK(open_status(options) == PLIMSOLL_INVALID);
  }
  SECTION("bytes that are no text") {
    options.snapshot_id = "\xFF\xFE";
    CHECK(open_status(options) == PLIMSOLL_INVALID);
  }
  SECTION("nine labels") {
    std::array<const char*, 9> labels{};
    labels.fill("a=b");
    options.labels = labels.data();
    options.label_count = labels.size();
    CHECK(open_status(options) == PLIMSOLL_TOO_LONG);
  }
  SECTION("labels counted but not there") {
    options.label_count = 1;
    CHECK(open_status(options) == PLIMSOLL_INVALID);
  }
  SECTION("a ring that is no power of two") {
    options.ring_bytes = 8193;
    CHECK(open_status(options) == PLIMSOLL_INVALID);
  }
  SECTION("a directory that is not there") {
    options.directory = "/nowhere/at/all";
    CHECK(open_status(options) == PLIMSOLL_NO_DIRECTORY);
  }
}

TEST_CASE("a caller of another age is understood, or refused if it asks for what is not known") {
  const SegmentDirectory directory;
  struct Newer {
    plimsoll_options known;
    std::uint64_t unknown;
  } newer{options_in(directory.path()), 0};
  newer.known.size = sizeof newer;
  CHECK(open_status(newer.known) == PLIMSOLL_OK);
  newer.unknown = 1;
  CHECK(open_status(newer.known) == PLIMSOLL_INVALID);
  const std::string nowhere = "/nowhere";
  auto older = options_in(nowhere);
  older.ring_bytes = 12345;
  older.size =
      offsetof(plimsoll_options, ring_bytes);  // it had no such field: what lies there is not read
  CHECK(open_status(older) == PLIMSOLL_NO_DIRECTORY);
}

TEST_CASE("update, add, set and cancel_requested make no system call") {
  const SegmentDirectory directory;
  const auto options = options_in(directory.path());
  const int rc = run_in_child([&] {
    plimsoll_upload* upload = nullptr;
    if (plimsoll_open(&options, &upload) != PLIMSOLL_OK) return 3;
    const int result = update_under_seccomp(upload);
    syscall(SYS_exit, result);  // the one way out that strict seccomp leaves
    return 4;
  });
  if (skip_without(rc != 1, "seccomp")) return;
  CHECK(rc == 0);
  CHECK(SegmentFile(directory.only_segment()).page().sample->completed == 100001);
}

TEST_CASE("the library shows the C functions only and brings no C++ run-time along") {
  const std::string library = PLIMSOLL_LIBRARY;
  std::istringstream symbols(output_of("nm -D --defined-only " + library));
  int functions = 0;
  for (std::string line; std::getline(symbols, line);) {
    INFO(line);
    const bool version = line.find(" A PLIMSOLL_1") != std::string::npos;
    CHECK((version || line.find(" T plimsoll_") != std::string::npos));
    functions += version ? 0 : 1;
  }
  CHECK(functions == 14);
  const auto dynamic = output_of("readelf -d " + library);
  CHECK(dynamic.find("[libplimsoll.so.1]") != std::string::npos);
  CHECK(dynamic.find("libstdc++") == std::string::npos);
  CHECK(dynamic.find("libgcc_s") == std::string::npos);
}
