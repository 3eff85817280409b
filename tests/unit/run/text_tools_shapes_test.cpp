// text_tools_shapes_test.cpp - spellings, statuses and flags no recording has, and bytes of no tool
// at all.
#include <rapidcheck/catch.h>

#include <csignal>

#include "shim/run/tool_table.hpp"
#include "shim/run/tools/parsers.hpp"
#include "shim/run/tools/printed_number.hpp"
#include "tests/unit/run/replay.hpp"

namespace plimsoll {

namespace {

using test::Replayed;
using Argv = std::vector<std::string>;
using Make = std::unique_ptr<ToolParser> (*)(const Argv&);

struct Run {
  Argv argv;
  std::string out;
  std::string err;
  ExitStatus exit;
  bool asked_to_stop = false;
};

Replayed play(Make make, const Run& run) {
  const auto parser = make(run.argv);
  Replayed replayed;
  test::feed_pieces(*parser, Stream::out, run.out, 5, replayed);
  test::feed_pieces(*parser, Stream::err, run.err, 5, replayed);
  test::finish(*parser, run.exit, run.asked_to_stop, replayed);
  return replayed;
}

std::int64_t grouped(std::string_view text) {
  return take_grouped(text);
}

std::int64_t size_of(std::string_view text, SizeBase base = SizeBase::decimal) {
  return take_size(text, base);
}

ChosenTool chosen(const Argv& argv, bool auto_flags = false) {
  ToolChoice choice;
  choice.argv = argv;
  choice.auto_flags = auto_flags;
  auto tool = choose_tool(choice);
  REQUIRE(tool);
  return std::move(*tool);
}

const Argv kRsync = {"rsync", "-a", "--info=progress2", "a/", "b/"};

std::string rsync_line(const std::string& count, const std::string& tail = "") {
  return "\r" + count + "  50%  127,60MB/s    0:00:03 " + tail;
}

// Noise made of what progress lines are made of never makes a count fall or pass its total.
void check_noise(Make make, const Argv& argv, const std::string& letters) {
  const std::string text = *rc::gen::container<std::string>(rc::gen::elementOf(letters));
  const Replayed replayed = play(make, {argv, text, text, {1, 0}});
  RC_ASSERT(!replayed.fell);
  RC_ASSERT(!replayed.above);
  RC_ASSERT(replayed.terminal.outcome != Outcome::durable);
}

}  // namespace

TEST_CASE("a grouped number is read in every locale's spelling, and never overflows") {
  for (const char* text : {"417,090,368", "417.090.368", "417'090'368", "417 090 368", "417090368",
                           "417\xc2\xa0"
                           "090\xc2\xa0"
                           "368",
                           "417\xe2\x80\xaf"
                           "090\xe2\x80\xaf"
                           "368",
                           "417\xe2\x80\x99"
                           "090\xe2\x80\x99"
                           "368"})
    CHECK(grouped(text) == 417090368);
  CHECK(grouped("5,000  50%") == 5000);
  CHECK(grouped("5 50%") == 5);
  CHECK(grouped("5,00") == 5);
  CHECK(grouped("1,234.567") == 1234);  // one kind of mark in one number
  CHECK(grouped("") == -1);
  CHECK(grouped("99999999999999999999999") == kMaxCount);
}

TEST_CASE("a size is read with decimal and with binary units, rounded down") {
  CHECK(size_of("283.9 GB") == 283900000000);
  CHECK(size_of("5 KB") == 5000);
  CHECK(size_of("2 B") == 2);
  CHECK(size_of("0 Bytes") == 0);
  CHECK(size_of("12.5 MiB") == 13107200);
  CHECK(size_of("190M", SizeBase::binary) == 199229440);
  CHECK(size_of("7,5k", SizeBase::binary) == 7680);
  CHECK(size_of("1.5") == 1);
  CHECK(size_of("9999999999 EiB") == kMaxCount);
  CHECK(size_of("7.999 EiB") < kMaxCount);
  CHECK(size_of("x") == -1);
}

TEST_CASE("rsync's group marks and short units are read") {
  for (const char* count : {"5,000,000", "5.000.000", "5'000'000", "5 000 000", "5000000", "5.00M"})
    CHECK(play(make_rsync_parser, {kRsync, rsync_line(count), "", {0, 0}}).terminal.completed ==
          5000000);
  const Argv twice = {"rsync", "-avhh", "--info=progress2", "a/", "b/"};
  CHECK(play(make_rsync_parser, {twice, rsync_line("5.00M"), "", {0, 0}}).terminal.completed ==
        5242880);
}

TEST_CASE("rsync's newest value counts before any separator follows it") {
  const auto parser = make_rsync_parser(kRsync);
  Replayed replayed;
  const std::string line = rsync_line("5,000,000", "(xfr#2, to-chk=3/9)");
  test::feed_pieces(*parser, Stream::out, line, 1, replayed);
  CHECK(replayed.last.completed == 5000000);
  CHECK(replayed.last.total == 10000000);
  CHECK(replayed.last.files_done == 2);
}

TEST_CASE("rsync 23 and 24 are incomplete, unless rsync counted nothing sent") {
  const std::string sent = rsync_line("5,000", "(xfr#2, to-chk=3/9)");
  const std::string none = "\r 0 100% 0.00kB/s 0:00:00 (xfr#0, to-chk=0/0)\n";
  const std::string why =
      "rsync: [sender] send_files failed to open \"x\": Permission denied (13)\n";
  const auto end = [&](const std::string& out, int code, bool asked = false) {
    return play(make_rsync_parser, {kRsync, out, why, {code, 0}, asked}).terminal;
  };
  CHECK(end(sent, 23).outcome == Outcome::incomplete);
  CHECK_THAT(end(sent, 23).err,
             Catch::StartsWith("incomplete: ") && Catch::Contains("Permission denied"));
  CHECK(end(sent, 23).errors == 1);
  CHECK(end(none, 23).outcome == Outcome::failed);
  CHECK(end(none, 24).outcome == Outcome::incomplete);
  CHECK(end("", 23).outcome == Outcome::incomplete);  // nobody counted
  for (const int code : {1, 11, 12, 20, 30, 255})
    CHECK(end(sent, code).outcome == Outcome::failed);
  CHECK(end(sent, 20, true).outcome == Outcome::canceled);
  CHECK(end(sent, 23, true).outcome == Outcome::canceled);
}

TEST_CASE("rsync's own bytes stay untouched unless they hold progress; the flag is offered") {
  const ChosenTool plain = chosen({"rsync", "-a", "a/", "b/"});
  CHECK_FALSE(plain.read_out);
  CHECK(plain.read_err);
  CHECK_THAT(plain.hint, Catch::Contains("--info=progress2"));
  const ChosenTool helped = chosen({"rsync", "-a", "a/", "b/"}, true);
  CHECK(helped.argv == Argv{"rsync", "--info=progress2", "-a", "a/", "b/"});
  CHECK(helped.read_out);
  CHECK(helped.hint.empty());
  CHECK(chosen(kRsync).hint.empty());
  CHECK(chosen({"rsync", "-aP", "a/", "b/"}).read_out);
}

TEST_CASE("any text leaves rsync's counts rising and below the total") {
  rc::prop("noise", [] {
    check_noise(make_rsync_parser, kRsync, "0123456789,.% \r\n:(xfr#to-chk=/)MkB/s");
  });
}

TEST_CASE("several files of zstd add up, and a name cannot pretend to be a size") {
  const std::string many =
      "\rCompress: 1/2 files. Current: a Read: 5 B / 10 B ==> 9%"
      "\rCompress: 1/2 files. Current: a Read: 10 B / 10 B ==> 9%"
      "\rCompress: 2/2 files. Current: Read: 9 GB / 9 GB Read: 4 B / 20 B ==> 9%";
  const Replayed replayed = play(make_zstd_parser, {{"zstd"}, "", many, {0, 0}});
  CHECK(replayed.terminal.completed == 14);
  CHECK(replayed.totals == std::vector<std::int64_t>{0});
  const std::string error = "zstd: error 70 : Write error : cannot write block : No space left\n";
  CHECK_THAT(play(make_zstd_parser, {{"zstd"}, "", error, {70, 0}}).terminal.err,
             Catch::Contains("No space left"));
}

TEST_CASE("tar's record size, its localised checkpoints and its totals are read") {
  const auto done = [](const Argv& argv, const std::string& err) {
    return play(make_tar_parser, {argv, "", err, {0, 0}}).terminal.completed;
  };
  const std::string line = "tar: Write checkpoint 10\n";
  CHECK(done({"tar", "-c"}, line) == 102400);
  CHECK(done({"tar", "-c", "-b", "2"}, line) == 10240);
  CHECK(done({"tar", "-c", "-b2"}, line) == 10240);
  CHECK(done({"tar", "-c", "--blocking-factor=2"}, line) == 10240);
  CHECK(done({"tar", "-c", "--record-size=1k"}, line) == 10240);
  const std::string german = "tar: Kontrollpunkt 10 schreiben 10\ntar: Schreibkontrollpunkt 20\n";
  CHECK(done({"tar", "-c", "--checkpoint=10"}, german) == 204800);
  CHECK(done({"tar", "-c", "--checkpoint=7"}, german) == 0);
  CHECK(done({"tar", "-c"}, german) == 0);
  CHECK(done({"tar", "-c"}, "Total bytes written: 417105920 (398MiB, 144MiB/s)\n") == 417105920);
  CHECK(done({"tar", "-c"}, "tar: Write checkpoint 9223372036854775807\n") == kMaxCount);
}

TEST_CASE("tar 1 is incomplete, 2 only if tar went on to the end") {
  const auto outcome = [](int code, const std::string& err) {
    return play(make_tar_parser, {{"tar"}, "", err, {code, 0}}).terminal.outcome;
  };
  const std::string unreadable = "tar: a: Cannot open: Permission denied\n";
  const std::string went_on = "tar: Exiting with failure status due to previous errors\n";
  CHECK(outcome(1, "") == Outcome::incomplete);
  CHECK(outcome(2, unreadable + went_on) == Outcome::incomplete);
  CHECK(outcome(2, unreadable) == Outcome::failed);
  CHECK(outcome(2,
                "tar: -: Wrote only 2048 of 10240 bytes\n"
                "tar: Error is not recoverable: exiting now\n") == Outcome::failed);
  CHECK(outcome(3, went_on) == Outcome::failed);
}

TEST_CASE("kopia's snapshot is kept on success, ignored errors are counted and not fatal") {
  const std::string line =
      "\r * 0 hashing, 3 hashed (1.5 GiB), 2 cached (4 B), uploaded 5 KB, (1 fatal errors) "
      "(2 errors ignored), estimated 1 GB (150%) 0s left      ";
  const std::string created = "\nCreated snapshot with root kffb7 and ID 01b4ae2a in 3s\n";
  const Replayed replayed = play(make_kopia_parser, {{"kopia"}, "", line + created, {0, 0}});
  CHECK(replayed.terminal.outcome == Outcome::durable);
  CHECK(replayed.terminal.stored_as == "01b4ae2a");
  CHECK(replayed.terminal.completed == 1610612740);
  CHECK(replayed.terminal.errors == 3);
  const std::string error = "\n ! Error when processing \"a\": permission denied\n";
  const Replayed failed = play(make_kopia_parser, {{"kopia"}, "", line + error, {1, 0}});
  CHECK(failed.terminal.outcome == Outcome::failed);
  CHECK_THAT(failed.terminal.err, Catch::Contains("permission denied"));
}

TEST_CASE("rbd that was silent ends at 100 of 100 percent") {
  const Terminal end = play(make_rbd_parser, {{"rbd"}, "", "", {0, 0}}).terminal;
  CHECK(end.outcome == Outcome::durable);
  CHECK(end.completed == 100);
  CHECK(end.total == 100);
}

TEST_CASE("each tool that speaks on stderr keeps its stdout, says what it needs and gets it") {
  for (const Argv& argv : {Argv{"zstd", "a"}, Argv{"tar", "cf", "-", "a"}, Argv{"kopia", "a"},
                           Argv{"curl", "-T", "a", "http://h/"}}) {
    INFO(argv.front());
    CHECK_FALSE(chosen(argv).hint.empty());
    CHECK(chosen(argv).argv == argv);
    const ChosenTool helped = chosen(argv, true);
    CHECK(helped.hint.empty());
    CHECK(helped.argv.size() > argv.size());
    CHECK_FALSE(helped.read_out);
    CHECK(helped.read_err);
    CHECK(helped.name == argv.front());
    CHECK(chosen(helped.argv).hint.empty());
  }
  CHECK(chosen({"rbd", "export", "a", "b"}).units == "percent");
  CHECK(chosen({"rbd", "export", "a", "b"}).hint.empty());
  CHECK_THAT(chosen({"rbd", "export", "--no-progress", "a", "b"}).hint, Catch::Contains("rbd"));
}

TEST_CASE("tar's flags go behind a cluster's own words and before --") {
  CHECK(chosen({"tar", "cf", "x.tar", "--", "-a"}, true).argv ==
        Argv{"tar", "cf", "x.tar", "--checkpoint=1000", "--checkpoint-action=echo=%u %{r,w,d}T",
             "--", "-a"});
}

TEST_CASE("any text leaves the counts of every such tool rising and below the total") {
  rc::prop("zstd", [] { check_noise(make_zstd_parser, {}, "0123456789 Read:/=>%MiB\r"); });
  rc::prop("tar", [] { check_noise(make_tar_parser, {}, "tar: Writechkpon0123456789(/s)\n"); });
  rc::prop("curl", [] { check_noise(make_curl_parser, {}, "0 1 2 3 k M -:\r"); });
  rc::prop("kopia", [] { check_noise(make_kopia_parser, {}, "|*0123 hasing,cde(GB)upltm\r"); });
  rc::prop("rbd", [] { check_noise(make_rbd_parser, {}, ": 0123456789% complete...\r"); });
}

TEST_CASE("zfs send adds its snapshots up, and its estimate may be exceeded") {
  const std::string plain =
      "full send of p/a@1 estimated size is 100M\n"
      "send from @1 to p/a@2 estimated size is 50M\n"
      "total estimated size is 150M\n"
      "TIME        SENT   SNAPSHOT p/a@1\n"
      "10:00:01   90M   p/a@1\n"
      "10:00:02   100M   p/a@1\n"
      "TIME        SENT   SNAPSHOT p/a@2\n"
      "10:00:03   40M   p/a@2\n"
      "10:00:04   60M   p/a@2\n";
  const Replayed replayed = play(make_zfs_parser, {{"zfs"}, "", plain, {0, 0}});
  CHECK(replayed.terminal.completed == std::int64_t{160} << 20);
  CHECK(replayed.totals ==
        std::vector<std::int64_t>{0, std::int64_t{150} << 20, std::int64_t{160} << 20});
  const std::string parsable = "full\tp/a@1\t1000\nsize\t1000\n10:00:01\t600\tp/a@1\n";
  const Replayed exact = play(make_zfs_parser, {{"zfs"}, "", parsable, {1, 0}});
  CHECK(exact.terminal.outcome == Outcome::failed);
  CHECK(exact.terminal.completed == 600);
  CHECK(exact.terminal.total == 1000);
}

TEST_CASE("aws's stdout is read for uploads of files only, and zfs is given -vP") {
  CHECK(chosen({"aws", "s3", "cp", "a", "s3://b/k"}).read_out);
  CHECK(chosen({"aws", "s3", "cp", "a", "s3://b/k"}).hint.empty());
  for (const Argv& argv :
       {Argv{"aws", "s3", "cp", "s3://b/k", "-"}, Argv{"aws", "s3", "cp", "-", "s3://b/k"},
        Argv{"aws", "s3api", "put-object"}, Argv{"aws", "s3", "cp", "--quiet", "a", "s3://b"}}) {
    CHECK_FALSE(chosen(argv).read_out);
    CHECK_FALSE(chosen(argv).hint.empty());
  }
  CHECK_FALSE(chosen({"zfs", "send", "p/a@1"}).hint.empty());
  CHECK(chosen({"zfs", "send", "p/a@1"}, true).argv == Argv{"zfs", "send", "-vP", "p/a@1"});
  CHECK(chosen({"zfs", "send", "-Rv", "p/a@1"}).hint.empty());
  rc::prop("zfs", [] { check_noise(make_zfs_parser, {}, "0123:: \tMGp@size is.\n"); });
  rc::prop("aws", [] { check_noise(make_aws_parser, {}, "Complted 0123/~(KiBM) upa:\r"); });
}

}  // namespace plimsoll
