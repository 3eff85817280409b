// restic_shapes_test.cpp - restic's messages of other versions, its exit statuses, and bytes of no
// version.
#include <rapidcheck/catch.h>

#include <csignal>

#include "schemas/text.hpp"
#include "shim/run/tools/parsers.hpp"
#include "tests/unit/run/replay.hpp"

namespace plimsoll {

namespace {

using test::Replayed;

const std::string kStatus =
    R"({"message_type":"status","total_files":2,"total_bytes":100,"bytes_done":40})"
    "\n";
const std::string kSummary =
    R"({"message_type":"summary","total_files_processed":2,"total_bytes_processed":100,)"
    R"("snapshot_id":"0123abcd"})"
    "\n";

struct Run {
  std::string out;
  std::string err;
  ExitStatus exit;
  bool asked_to_stop = false;
};

Replayed play(const Run& run, const std::vector<std::string>& argv = {"restic"}) {
  const auto parser = make_restic_parser(argv);
  Replayed replayed;
  test::feed_pieces(*parser, Stream::out, run.out, 5, replayed);
  test::feed_pieces(*parser, Stream::err, run.err, 5, replayed);
  test::finish(*parser, run.exit, run.asked_to_stop, replayed);
  return replayed;
}

Outcome outcome_of(const Run& run) {
  return play(run).terminal.outcome;
}

}  // namespace

TEST_CASE("success needs exit status 0 and, once restic has spoken, its summary") {
  CHECK(outcome_of({kStatus + kSummary, "", {0, 0}}) == Outcome::durable);
  CHECK(outcome_of({"", "", {0, 0}}) == Outcome::durable);  // --quiet
  CHECK(outcome_of({kStatus, "", {0, 0}}) == Outcome::failed);
  CHECK(outcome_of({kStatus + kSummary, "", {1, 0}}) == Outcome::failed);
  CHECK(outcome_of({kStatus + kSummary, "", {0, SIGKILL}}) == Outcome::failed);
}

TEST_CASE("a durable end carries the snapshot and its numbers") {
  const Replayed replayed = play({kStatus + kSummary, "", {0, 0}});
  CHECK(replayed.terminal.stored_as == "0123abcd");
  CHECK(replayed.terminal.completed == 100);
  CHECK(replayed.terminal.total == 100);
}

TEST_CASE("any bad end after a stop that was passed on is canceled, a good one is not") {
  CHECK(outcome_of({kStatus, "", {1, 0}, true}) == Outcome::canceled);
  CHECK(outcome_of({kStatus, "", {0, SIGTERM}, true}) == Outcome::canceled);
  CHECK(outcome_of({kStatus, "", {0, 0}, true}) == Outcome::canceled);
  CHECK(outcome_of({kStatus, "", {130, 0}}) == Outcome::canceled);
  CHECK(outcome_of({kStatus, "", {0, SIGINT}}) == Outcome::canceled);
  CHECK(outcome_of({kStatus, "", {0, SIGTERM}}) == Outcome::failed);
  CHECK(outcome_of({kStatus + kSummary, "", {0, 0}, true}) == Outcome::durable);
}

TEST_CASE("exit statuses have words of their own and an unknown one is a failure") {
  const auto err = [](int code) { return play({"", "Fatal: cause\n", {code, 0}}).terminal.err; };
  CHECK_THAT(err(10), Catch::Contains("repository does not exist"));
  CHECK_THAT(err(11), Catch::Contains("repository is locked"));
  CHECK_THAT(err(12), Catch::Contains("wrong password"));
  CHECK_THAT(err(2), Catch::Contains("Go runtime error"));
  CHECK_THAT(err(1), Catch::Contains("exit status 1: cause"));
  CHECK_THAT(err(77), Catch::Contains("exit status 77"));
  CHECK(outcome_of({"", "", {77, 0}}) == Outcome::failed);
}

TEST_CASE("a signal is named in err") {
  CHECK(play({"", "", {0, SIGKILL}}).terminal.err == "restic: killed by signal 9 (SIGKILL)");
}

TEST_CASE("error lines make an exit status 0 incomplete, as 0.9 needs it") {
  const Run run{kStatus,
                R"({"message_type":"error","error":{},"item":"/x"})"
                "\n",
                {0, 0}};
  CHECK(outcome_of({kStatus + kSummary, run.err, {0, 0}}) == Outcome::incomplete);
}

TEST_CASE("a source that 0.14 skips with status 0 is not passed over in silence") {
  const Replayed replayed =
      play({kStatus + kSummary, "/nonexistent/a does not exist, skipping\n", {0, 0}});
  CHECK(replayed.terminal.outcome == Outcome::incomplete);
  CHECK(replayed.terminal.stored_as == "0123abcd");
}

TEST_CASE("exit_error of 0.17 and later says why") {
  const Replayed replayed =
      play({"",
            R"({"message_type":"exit_error","code":12,"message":"Fatal: wrong password or no key"})"
            "\n",
            {12, 0}});
  CHECK_THAT(replayed.terminal.err, Catch::Contains("wrong password or no key"));
}

TEST_CASE("scan_finished knows totals only, in its old and its new place") {
  for (const std::string type : {"status", "verbose_status"}) {
    const std::string scan = R"({"message_type":")" + type +
                             R"(","action":"scan_finished","data_size":900,"total_files":7})"
                             "\n";
    const Replayed replayed = play({kStatus + scan, "", {1, 0}});
    CHECK(replayed.last.completed == 40);
    CHECK(replayed.last.total == 900);
    CHECK(replayed.last.files_total == 7);
  }
}

TEST_CASE("bytes that really went out come from data_added_packed only") {
  const std::string packed =
      R"({"message_type":"summary","total_bytes_processed":100,"data_added_packed":33})"
      "\n";
  CHECK(play({kStatus + packed, "", {0, 0}}).last.sent == 33);
  CHECK(play({kStatus + kSummary, "", {0, 0}}).last.sent == -1);
}

TEST_CASE("a dry run is never durable") {
  const std::string dry = R"({"message_type":"summary","dry_run":true})"
                          "\n";
  CHECK(outcome_of({dry, "", {0, 0}}) == Outcome::failed);
  const Replayed by_flag = play({kSummary, "", {0, 0}}, {"restic", "backup", "-n"});
  CHECK(by_flag.terminal.outcome == Outcome::failed);
}

TEST_CASE("absurd numbers are bounded and never fall back") {
  const Replayed replayed =
      play({R"({"message_type":"status","bytes_done":-5,"total_bytes":1e300,"files_done":"many"})"
            "\n"
            R"({"message_type":"status","bytes_done":18446744073709551615,"total_bytes":null})"
            "\n" +
                kStatus,
            "",
            {1, 0}});
  CHECK_FALSE(replayed.fell);
  CHECK_FALSE(replayed.above);
  CHECK(replayed.last.completed == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("a summary whose last newline is missing still counts, a begun object does not") {
  const std::string bare = kSummary.substr(0, kSummary.size() - 1);
  CHECK(outcome_of({kStatus + bare, "", {0, 0}}) == Outcome::durable);
  CHECK(outcome_of({kStatus + bare.substr(0, bare.size() - 1), "", {0, 0}}) == Outcome::failed);
}

TEST_CASE("a file name that looks like a summary is a name") {
  const std::string hostile = R"({"message_type":"status","bytes_done":1,)"
                              R"("current_files":["/x/\"message_type\":\"summary\""]})"
                              "\n";
  CHECK(outcome_of({hostile, "", {0, 0}}) == Outcome::failed);
}

TEST_CASE("any bytes leave the parser alive and its counts rising") {
  const std::vector<std::string> words = {
      kStatus,
      kSummary,
      "{",
      "}",
      "[[[[",
      "\"",
      "\n",
      "\r",
      "\x1b[2K",
      "null",
      "\xff\xfe",
      R"({"message_type":"status","bytes_done":)",
      R"({"message_type":"error","error":[]})",
      R"({"message_type":7})",
      R"({"message_type":"status","total_bytes":1,"bytes_done":50,)",
      R"("current_files":[{}]})",
      "Fatal: ",
      std::string("\0", 1)};
  rc::prop("noise", [&] {
    const auto parts = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(words));
    Run run;
    for (const std::string& part : parts)
      run.out += part;
    run.err = *rc::gen::arbitrary<std::string>();
    run.exit.code = *rc::gen::inRange(0, 256);
    const Replayed replayed = play(run);
    RC_ASSERT(!replayed.fell);
    RC_ASSERT(!replayed.above);
    RC_ASSERT(replayed.terminal.outcome != Outcome::none);
    RC_ASSERT(replayed.terminal.completed >= 0);
    RC_ASSERT(replayed.terminal.err.empty() == (replayed.terminal.outcome == Outcome::durable));
    for (const Diagnostic& diagnostic : replayed.diagnostics)
      RC_ASSERT(is_valid_utf8(diagnostic.text));
  });
}

}  // namespace plimsoll
