// discovery_test.cpp - movers come, report, die; aliens lie about; the reader sees the truth and
// nothing else.
#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "runtime/socket/unix_socket.hpp"
#include "tests/support/child_process.hpp"
#include "tests/unit/agent/io/segment_rig.hpp"

using namespace plimsoll;
using plimsoll::test::kPatience;
using plimsoll::test::mover_options;
using plimsoll::test::SegmentRig;

namespace {

const std::string kName = "0123456789abcdef01234567.seg";

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path) << bytes;
}

}  // namespace

TEST_CASE("a mover is found when its segment appears, and its numbers are read by the sweep") {
  SegmentRig rig;
  Producer mover(mover_options(rig.directory.path()));
  REQUIRE(mover.is_open());
  REQUIRE(rig.until([&] { return !rig.all<SegmentFound>().empty(); }));
  const auto found = rig.all<SegmentFound>().front();
  CHECK(found.origin.segment == mover.segment_id());
  CHECK(found.origin.domain == "default");
  CHECK(found.origin.owner_uid == geteuid());
  CHECK(found.identity.item == "paths/a");
  CHECK(found.reading.lock_held);
  mover.update(40, 100);
  mover.event(Severity::warning, "slow disk");
  rig.sweeping = true;
  REQUIRE(rig.until([&] {
    const auto last = rig.last_reading(*mover.segment_id());
    return last && last->sample && last->sample->completed == 40;
  }));
  const auto last = rig.last_reading(*mover.segment_id());
  REQUIRE(last->events.size() == 1);
  CHECK(last->events.front().text == "slow disk");
  CHECK(rig.refusals.empty());
}

TEST_CASE(
    "segments that were there before are found at once, with results, cancels and free locks as "
    "they are") {
  test::SegmentDirectory directory;
  SegmentId ended;
  {
    Producer mover(mover_options(directory.path()));
    mover.update(100, 100);
    mover.complete("snap-1");
    ended = *mover.segment_id();
  }
  SegmentReader reader(10, [](Event) {});
  SegmentRig rig;
  rig.discovery.reset();
  DiscoverySettings settings;
  SegmentRoot root;
  root.path = directory.path();
  settings.roots.push_back(root);
  auto discovery = SegmentDiscovery::create(rig.loop, settings, rig.reader, [](const Refusal&) {});
  REQUIRE(discovery);
  (*discovery)->tick(rig.clock.now());
  (*discovery)->work(rig.clock.wall());
  const auto last = rig.last_reading(ended);
  REQUIRE(last);
  CHECK_FALSE(last->lock_held);
  REQUIRE(last->terminal);
  CHECK(last->terminal->stored_as == "snap-1");
  rig.loop.on_turn({});
  rig.waker.stop();
  discovery->reset();
}

TEST_CASE("the death of a mover is seen by its descriptor's close alone, without any sweep") {
  SegmentRig rig;
  const pid_t mover = fork();
  REQUIRE(mover >= 0);
  if (mover == 0) {
    Producer producer(mover_options(rig.directory.path()));
    producer.update(40, 100);
    raise(SIGSTOP);  // stopped is not dead
    pause();
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(mover, &status, WUNTRACED) == mover);
  REQUIRE(rig.until([&] { return !rig.all<SegmentFound>().empty(); }));
  const auto segment = rig.all<SegmentFound>().front().origin.segment;
  CHECK(rig.last_reading(segment)->lock_held);
  REQUIRE_FALSE(rig.sweeping);
  kill(mover, SIGKILL);
  CHECK(rig.until([&] { return !rig.last_reading(segment)->lock_held; }));
  REQUIRE(waitpid(mover, &status, 0) == mover);
  CHECK_FALSE(rig.last_reading(segment)->terminal);
}

TEST_CASE("without descriptors to keep, segments are opened for every look") {
  SegmentRig rig(0);
  rig.sweeping = true;
  Producer mover(mover_options(rig.directory.path()));
  mover.update(40, 100);
  REQUIRE(rig.until([&] {
    const auto last = mover.segment_id() ? rig.last_reading(*mover.segment_id()) : std::nullopt;
    return last && last->sample && last->sample->completed == 40;
  }));
  mover.update(50, 100);
  CHECK(rig.until([&] {
    const auto last = rig.last_reading(*mover.segment_id());
    return last->sample && last->sample->completed == 50;
  }));
}

TEST_CASE("alien files of every kind are refused once, named, never opened, and harm nobody") {
  SegmentRig rig;
  const auto in = [&](const std::string& name) { return rig.directory.path() + "/" + name; };
  write_file(in("notes.txt"), "hello");
  write_file(in("0123456789abcdef01234567.seg.bak"), "hello");
  write_file(in("0123456789ABCDEF01234567.seg"), "hello");  // upper case is not the form
  write_file(in("evil\x1b[31m\nname"), "hello");
  write_file(in("111111111111111111111111.seg"), "too short");
  write_file(in("222222222222222222222222.seg"), std::string(16384, 'x'));
  REQUIRE(symlink("/etc/passwd", in("333333333333333333333333.seg").c_str()) == 0);
  REQUIRE(mkfifo(in("444444444444444444444444.seg").c_str(), 0660) == 0);
  REQUIRE(mkdir(in("555555555555555555555555.seg").c_str(), 0700) == 0);
  const auto listening = listen_unix(in("666666666666666666666666.seg"), 0600);
  REQUIRE(listening);
  write_file(in("777777777777777777777777.seg"), "");
  REQUIRE(truncate(in("777777777777777777777777.seg").c_str(), off_t{1} << 40) == 0);
  Producer mover(mover_options(rig.directory.path()));
  REQUIRE(mover.is_open());
  REQUIRE(
      rig.until([&] { return rig.all<SegmentFound>().size() == 1 && rig.refusals.size() >= 11; }));
  for (int i = 1; i <= 7; ++i)
    CHECK(rig.refused(std::string(24, static_cast<char>('0' + i)) + ".seg"));
  for (const auto& refusal : rig.refusals) {
    CHECK(refusal.directory == rig.directory.path());
    CHECK(refusal.error.message.find('\n') == std::string::npos);
    CHECK(refusal.error.message.find('\x1b') == std::string::npos);
  }
  const auto before = rig.refusals.size();
  rig.discovery->rescan_all();
  rig.work();
  CHECK(rig.refusals.size() == before);
  CHECK(rig.all<SegmentFound>().front().origin.segment == mover.segment_id());
}

TEST_CASE(
    "a second name for a segment, or a copy of it, is refused; the first stays bound to its file") {
  SegmentRig rig;
  Producer mover(mover_options(rig.directory.path()));
  REQUIRE(rig.until([&] { return rig.all<SegmentFound>().size() == 1; }));
  const auto path = rig.directory.path() + "/" + segment_file_name(*mover.segment_id());
  const auto second = rig.directory.path() + "/" + kName;
  std::filesystem::copy_file(path, second);
  REQUIRE(rig.until([&] { return rig.refused(kName); }));
  std::filesystem::remove(second);
  std::filesystem::create_hard_link(path, rig.directory.path() + "/aaaaaaaaaaaaaaaaaaaaaaaa.seg");
  REQUIRE(rig.until([&] { return rig.refused("aaaaaaaaaaaaaaaaaaaaaaaa.seg"); }));
  CHECK(rig.all<SegmentFound>().size() == 1);
  CHECK(rig.reader.size() == 1);
}

TEST_CASE("a segment truncated or overwritten by its mover is unreadable, its neighbour is not") {
  SegmentRig rig;
  rig.sweeping = true;
  Producer good(mover_options(rig.directory.path(), "paths/good"));
  Producer bad(mover_options(rig.directory.path(), "paths/bad"));
  REQUIRE(rig.until([&] { return rig.all<SegmentFound>().size() == 2; }));
  const auto path = rig.directory.path() + "/" + segment_file_name(*bad.segment_id());
  const UniqueFd fd(open(path.c_str(), O_RDWR | O_CLOEXEC));
  SECTION("overwritten") {
    REQUIRE(pwrite(fd.get(), "garbage!", 8, 0) == 8);
  }
  SECTION("truncated to nothing") {
    REQUIRE(ftruncate(fd.get(), 0) == 0);
  }
  REQUIRE(rig.until([&] { return rig.all<SegmentUnreadable>().size() >= 3; }));
  for (const auto& event : rig.all<SegmentUnreadable>()) {
    CHECK(event.segment == bad.segment_id());
    CHECK(event.lock_held);
    CHECK(event.fault != SegmentFault::none);
  }
  good.update(7, 10);
  CHECK(rig.until([&] {
    const auto last = rig.last_reading(*good.segment_id());
    return last->sample && last->sample->completed == 7;
  }));
}

TEST_CASE("a segment that is removed, or replaced by another file of its name, is gone") {
  SegmentRig rig;
  Producer mover(mover_options(rig.directory.path()));
  REQUIRE(rig.until([&] { return rig.all<SegmentFound>().size() == 1; }));
  const auto path = rig.directory.path() + "/" + segment_file_name(*mover.segment_id());
  SECTION("removed") {
    std::filesystem::remove(path);
  }
  SECTION("replaced") {
    write_file(rig.directory.path() + "/other", "x");
    std::filesystem::rename(rig.directory.path() + "/other", path);
    rig.discovery->rescan_all();
  }
  CHECK(rig.until([&] { return !rig.all<SegmentGone>().empty(); }));
}

TEST_CASE("an unfinished file is reaped when it is old and nobody holds its lock") {
  SegmentRig rig;
  const auto path = rig.directory.path() + "/0123456789abcdef01234567.tmp";
  write_file(path, "half");
  rig.discovery->rescan_all();
  rig.work();
  CHECK(std::filesystem::exists(path));
  const UniqueFd fd(open(path.c_str(), O_RDWR | O_CLOEXEC));
  struct flock lock {};
  lock.l_type = F_WRLCK;
  REQUIRE(fcntl(fd.get(), F_OFD_SETLK, &lock) == 0);
  const auto later = rig.clock.wall() + std::chrono::minutes(2);
  rig.discovery->rescan_all();
  while (rig.discovery->work(later)) {
  }
  CHECK(std::filesystem::exists(path));  // its mover lives
  lock.l_type = F_UNLCK;
  REQUIRE(fcntl(fd.get(), F_OFD_SETLK, &lock) == 0);
  rig.discovery->rescan_all();
  while (rig.discovery->work(later)) {
  }
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK(rig.refusals.empty());
}

TEST_CASE(
    "whoever floods a directory with events loses its watch, and movers are found all the same") {
  SegmentRig rig;
  const auto path = rig.directory.path() + "/flood";
  for (int i = 0; i < 3000; ++i)
    write_file(path + std::to_string(i % 2), "x");  // equal events would merge
  REQUIRE(rig.until([&] { return rig.discovery->counters().watches_dropped == 1; }));
  Producer mover(mover_options(rig.directory.path()));
  CHECK(rig.until([&] { return rig.all<SegmentFound>().size() == 1; }));
}

TEST_CASE("a directory that is removed and made again is watched again") {
  SegmentRig rig;
  std::filesystem::remove_all(rig.directory.path());
  REQUIRE(rig.until([&] { return !rig.discovery->not_open().empty(); }));
  REQUIRE(mkdir(rig.directory.path().c_str(), 0700) == 0);
  REQUIRE(rig.until([&] { return rig.discovery->not_open().empty(); }));
  Producer mover(mover_options(rig.directory.path()));
  CHECK(rig.until([&] { return rig.all<SegmentFound>().size() == 1; }));
}

TEST_CASE("a turn looks at no more than its bound, and a round comes to an end") {
  SegmentRig rig;
  rig.waker.stop();
  std::vector<std::unique_ptr<Producer>> movers;
  for (std::size_t i = 0; i < kLooksPerTurn + 50; ++i)
    movers.push_back(std::make_unique<Producer>(mover_options(rig.directory.path())));
  rig.discovery->rescan_all();
  CHECK(rig.discovery->work(rig.clock.wall()));  // 512 names a turn, there are more
  CHECK(rig.reader.size() == 512);
  rig.work();
  REQUIRE(rig.reader.size() == movers.size());
  rig.reader.begin_sweep();
  CHECK(rig.reader.sweep_some());
  CHECK_FALSE(rig.reader.sweep_some());
}

TEST_CASE("a directory's policy says whose segments count and what they may speak for") {
  SegmentPolicy policy;
  policy.items = {"paths/mine*"};
  SegmentRig rig(1000, policy);
  Producer mine(mover_options(rig.directory.path(), "paths/mine-1"));
  Producer theirs(mover_options(rig.directory.path(), "paths/theirs"));
  REQUIRE(rig.until([&] { return !rig.refusals.empty() && !rig.all<SegmentFound>().empty(); }));
  CHECK(rig.all<SegmentFound>().front().identity.item == "paths/mine-1");
  CHECK(rig.refusals.front().error.code == ErrorCode::forbidden);
  CHECK(rig.reader.size() == 1);
  policy = {};
  policy.uids = {geteuid() + 1};
  CHECK_FALSE(check_owner(policy, geteuid()));
  CHECK(check_owner(policy, geteuid() + 1));
}
