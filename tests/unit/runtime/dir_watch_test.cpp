// dir_watch_test.cpp - inotify in the loop, with a real directory.
#include "runtime/dir_watch.hpp"

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <optional>

#include "runtime/loop.hpp"
#include "runtime/safe_open.hpp"
#include "tests/unit/runtime/temporary_directory.hpp"

using namespace plimsoll;
using plimsoll::test::TemporaryDirectory;

namespace {

constexpr milliseconds kWatchdog{60'000};

struct Watched {
  Watched() {
    auto made = DirWatch::create(loop, [this](const DirEvent& event) { events.push_back(event); });
    REQUIRE(made.has_value());
    watch.emplace(std::move(*made));
  }
  bool sees(std::uint32_t change, const std::string& name) {
    return loop.run_until(
        [&] {
          for (const auto& event : events)
            if (event.has(change) && event.name == name) return true;
          return false;
        },
        kWatchdog);
  }
  TemporaryDirectory directory;
  Loop loop;
  std::vector<DirEvent> events;
  std::optional<DirWatch> watch;
};

std::string record(int watch, std::uint32_t mask, std::string name) {
  if (!name.empty()) name.resize((name.size() / 16 + 1) * 16, '\0');
  inotify_event head{};
  head.wd = watch;
  head.mask = mask;
  head.len = static_cast<std::uint32_t>(name.size());
  std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
  return bytes + name;
}

}  // namespace

TEST_CASE("changes in a watched directory are told with their names") {
  Watched w;
  const auto number = w.watch->add(w.directory.path());
  REQUIRE(number.has_value());
  w.directory.write("made", "x");
  CHECK(w.sees(dir_change::kCreated, "made"));
  CHECK(w.sees(dir_change::kWritten, "made"));
  REQUIRE(::chmod((w.directory / "made").c_str(), 0600) == 0);
  CHECK(w.sees(dir_change::kAttributes, "made"));
  REQUIRE(::mkdir((w.directory / "sub").c_str(), 0700) == 0);
  CHECK(w.sees(dir_change::kDirectory, "sub"));
  REQUIRE(::rename((w.directory / "made").c_str(), (w.directory / "moved").c_str()) == 0);
  CHECK(w.sees(dir_change::kMovedIn, "moved"));
  REQUIRE(::unlink((w.directory / "moved").c_str()) == 0);
  CHECK(w.sees(dir_change::kDeleted, "moved"));
  CHECK(w.events.front().watch == *number);
}

TEST_CASE("a directory can be watched by descriptor, and its removal is told") {
  Watched w;
  REQUIRE(::mkdir((w.directory / "sub").c_str(), 0700) == 0);
  auto sub = open_directory(w.directory / "sub");
  REQUIRE(sub.has_value());
  REQUIRE(w.watch->add(sub->get()).has_value());
  sub->reset();  // an open descriptor would keep the directory's inode
  REQUIRE(::rmdir((w.directory / "sub").c_str()) == 0);
  CHECK(w.sees(dir_change::kSelfDeleted, ""));
  CHECK(w.sees(dir_change::kIgnored, ""));
}

TEST_CASE("a removed watch ends with one last word") {
  Watched w;
  const auto number = w.watch->add(w.directory.path());
  REQUIRE(number.has_value());
  w.watch->remove(*number);
  w.watch->remove(12345);
  CHECK(w.sees(dir_change::kIgnored, ""));
}

TEST_CASE("what is no directory cannot be watched") {
  Watched w;
  w.directory.write("file", "x");
  CHECK(w.watch->add(w.directory / "file").error().code == ErrorCode::bad_request);
  CHECK(w.watch->add(w.directory / "missing").error().code == ErrorCode::not_found);
}

TEST_CASE("a watch may be destroyed inside its own callback") {
  const TemporaryDirectory directory;
  Loop loop;
  int calls = 0;
  std::optional<DirWatch> watch;
  auto made = DirWatch::create(loop, [&](const DirEvent&) {
    ++calls;
    watch.reset();
  });
  REQUIRE(made.has_value());
  watch.emplace(std::move(*made));
  REQUIRE(watch->add(directory.path()).has_value());
  for (const char* name : {"a", "b", "c"})
    directory.write(name, "x");
  CHECK(loop.run_until([&] { return !watch.has_value(); }, kWatchdog));
  CHECK(calls == 1);
}

TEST_CASE("more than the kernel queues is told as an overflow") {
  Watched w;
  REQUIRE(w.watch->add(w.directory.path()).has_value());
  const int rounds = 20'000;  // above the default of 16,384; each round is two different events
  for (int i = 0; i < rounds; ++i) {
    const UniqueFd file(::open((w.directory / "x").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    REQUIRE(file);
    REQUIRE(::unlink((w.directory / "x").c_str()) == 0);
  }
  const auto overflowed = [&] { return !w.events.empty() && w.events.back().overflow(); };
  if (w.loop.run_until(overflowed, kWatchdog)) CHECK(w.events.back().watch == -1);
  CHECK(overflowed());
}

TEST_CASE("the kernel's records are decoded, special ones too") {
  const auto events =
      decode_dir_events(record(3, IN_CREATE | IN_ISDIR, "name") + record(-1, IN_Q_OVERFLOW, "") +
                        record(4, IN_UNMOUNT, "") + record(4, IN_IGNORED, ""));
  REQUIRE(events.size() == 4);
  CHECK(events[0].watch == 3);
  CHECK(events[0].changes == (dir_change::kCreated | dir_change::kDirectory));
  CHECK(events[0].name == "name");
  CHECK(events[1].overflow());
  CHECK(events[1].watch == -1);
  CHECK(events[2].has(dir_change::kUnmounted));
  CHECK(events[3].has(dir_change::kIgnored));
}

TEST_CASE("a record that does not fit ends the decoding") {
  const auto whole = record(3, IN_CREATE, "name");
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK(decode_dir_events(std::string_view(whole).substr(0, size)).empty());
  CHECK(decode_dir_events(whole + whole.substr(0, 20)).size() == 1);
}
