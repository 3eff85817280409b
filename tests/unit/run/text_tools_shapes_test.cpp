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
  RC_ASSERT(replayed.terminal.outcome == Outcome::failed);
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
  CHECK(grouped("99999999999999999999999") == kMaxPrinted);
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
  CHECK(size_of("9999999999 EiB") == kMaxPrinted);
  CHECK(size_of("7.999 EiB") < kMaxPrinted);
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

}  // namespace plimsoll
