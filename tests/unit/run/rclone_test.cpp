// rclone_test.cpp - real rclone 1.60 runs against the values a person checked, the growing total,
// and lines of no version.
#include <rapidcheck/catch.h>

#include <csignal>

#include "schemas/text.hpp"
#include "shim/run/tool_table.hpp"
#include "shim/run/tools/parsers.hpp"
#include "tests/unit/run/replay.hpp"

namespace plimsoll {

namespace {

using test::Replayed;

Replayed play(const std::string& err, ExitStatus exit, bool asked_to_stop = false,
              const std::vector<std::string>& argv = {"rclone", "copy"}) {
  const auto parser = make_rclone_parser(argv);
  Replayed replayed;
  test::feed_pieces(*parser, Stream::err, err, 5, replayed);
  test::finish(*parser, exit, asked_to_stop, replayed);
  return replayed;
}

std::string stats(const std::string& fields) {
  return R"({"level":"notice","msg":"x","stats":{)" + fields + "}}\n";
}

ChosenTool chosen(const std::vector<std::string>& argv, bool auto_flags = false) {
  ToolChoice choice;
  choice.argv = argv;
  choice.auto_flags = auto_flags;
  return std::move(*choose_tool(choice));
}

}  // namespace

TEST_CASE("every recorded rclone run ends with the numbers and the outcome a person checked") {
  const nlohmann::json expected = test::read_expected("rclone-1.60.1/expected.json");
  REQUIRE(expected.size() == 17);
  for (const std::size_t piece : test::kPieces) {
    for (const auto& [name, values] : expected.items()) {
      INFO("sample " << name << " in pieces of " << piece);
      const auto parser = make_rclone_parser({"rclone", "copy"});
      const Replayed replayed =
          test::replay_recorded(*parser, "rclone-1.60.1/" + name, values, piece);
      test::check_recorded(values, replayed);
      CHECK(parser->counts().malformed == 0);
      CHECK(parser->counts().unknown_types == 0);
    }
  }
}

TEST_CASE("rclone's text is as exact as it was printed") {
  for (const std::string name :
       {"03-text-stats-one-line", "04-text-stats-one-line-date", "05-text-stats-multiline-v"}) {
    INFO(name);
    const nlohmann::json expected = test::read_expected("rclone-1.60.1/expected.json").at(name);
    const auto parser = make_rclone_parser({"rclone", "copy"});
    const Replayed replayed = test::replay_recorded(*parser, "rclone-1.60.1/" + name, expected, 7);
    CHECK(replayed.samples > 3);
    CHECK(replayed.terminal.completed > 417090368 - 1024);
    CHECK(replayed.terminal.completed < 417090368 + 1024);
  }
}

TEST_CASE("a total that grows is passed on, and an eta of null or below zero is not looked at") {
  for (const std::size_t piece : test::kPieces) {
    const auto parser = make_rclone_parser({"rclone"});
    Replayed replayed;
    const std::string file = "cases/BR-10-rclone-growing-total-null-eta.jsonl";
    test::feed_pieces(*parser, Stream::err, test::read_recorded(file), piece, replayed);
    CHECK(replayed.totals == std::vector<std::int64_t>{0, 5000, 9000, 15000});
    CHECK_FALSE(replayed.fell);
    test::finish(*parser, ExitStatus{}, false, replayed);
    CHECK(replayed.terminal.outcome == Outcome::durable);
    CHECK(replayed.terminal.completed == 15000);
    CHECK(replayed.terminal.total == 15000);
    CHECK(replayed.terminal.err.empty());
  }
}

TEST_CASE("a total may shrink but never below what is done") {
  const Replayed replayed = play(
      stats(R"("bytes":50,"totalBytes":400)") + stats(R"("bytes":60,"totalBytes":40)"), {1, 0});
  CHECK(replayed.totals == std::vector<std::int64_t>{400, 60});
  CHECK(replayed.terminal.outcome == Outcome::failed);
}

TEST_CASE("of a stream whose size nobody knows the total stays unknown") {
  const Replayed json =
      play(stats(R"("bytes":50,"totalBytes":50,"transferring":[{"name":"v","size":-1}])"), {1, 0});
  CHECK(json.last.completed == 50);
  CHECK(json.last.total == 0);
  CHECK(json.last.description == "v");
  const std::string line = "2026/12/01 14:49:00 NOTICE: 40 MiB / 40 MiB, 100%, 0 B/s, ETA -\n";
  CHECK(play(line, {1, 0}, false, {"rclone", "rcat", "r:x"}).last.total == 0);
}

TEST_CASE("a file name that looks like statistics is a name") {
  const Replayed replayed = play(
      "2026/12/01 14:49:00 INFO  : 9 MiB / 9 MiB, 100%, 1 B/s, ETA 0s: Copied (new)\n"
      "2026/12/01 14:49:00 ERROR : 9 MiB / 9 MiB, 100%, 1 B/s, ETA 0s (xfr#1/2): denied\n",
      {1, 0});
  CHECK(replayed.samples == 0);
}

TEST_CASE("rclone's exit statuses: 9 is success, the others have words, a stop is canceled") {
  CHECK(play("", {9, 0}).terminal.outcome == Outcome::durable);
  CHECK_THAT(play("2026/12/01 14:49:26 Failed to copy: gone\n", {3, 0}).terminal.err,
             Catch::Contains("exit status 3: directory not found: Failed to copy: gone"));
  CHECK_THAT(play("", {8, 0}).terminal.err, Catch::Contains("--max-transfer"));
  CHECK(play("", {1, 0}, true).terminal.outcome == Outcome::canceled);
  CHECK(play("", {0, SIGKILL}).terminal.outcome == Outcome::failed);
  CHECK_THAT(play("", {0, SIGKILL}).terminal.err, Catch::Contains("signal 9"));
  CHECK(play("", {0, 0}, false, {"rclone", "copy", "--dry-run"}).terminal.outcome ==
        Outcome::failed);
}

TEST_CASE("rclone is read on stderr only, and the person is told which flags it needs") {
  const ChosenTool plain = chosen({"rclone", "copy", "a", "b"});
  CHECK(plain.name == "rclone");
  CHECK_FALSE(plain.read_out);
  CHECK(plain.read_err);
  CHECK_THAT(plain.hint, Catch::Contains("--use-json-log"));
  const ChosenTool spoken =
      chosen({"rclone", "copy", "--use-json-log", "--stats=1s", "--stats-log-level=NOTICE"});
  CHECK(spoken.hint.empty());
  const ChosenTool helped = chosen({"rclone", "copy", "--stats", "5s"}, true);
  CHECK(helped.hint.empty());
  CHECK(helped.argv == std::vector<std::string>{"rclone", "--use-json-log", "--stats-log-level",
                                                "NOTICE", "copy", "--stats", "5s"});
}

TEST_CASE("any bytes leave rclone's parser alive and its counts rising") {
  const std::vector<std::string> words = {
      stats(R"("bytes":50,"totalBytes":400)"),
      stats(R"("bytes":-1,"totalBytes":1e300,"transferring":[7,{"size":"x"},{"name":3}])"),
      stats(R"("bytes":"many","errors":-4,"transferring":{})"),
      "2026/12/01 14:49:00 ",
      "NOTICE: ",
      "99999999999999999999999 EiB",
      " / ",
      "1 MiB, 7%, 3 B/s, ETA 0s",
      "{",
      "}",
      R"({"level":7,"object":[]})",
      "\n",
      "\r",
      "\xff\x1b[2K",
      std::string("\0", 1)};
  rc::prop("noise", [&] {
    const auto parts = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(words));
    std::string err;
    for (const std::string& part : parts)
      err += part;
    const Replayed replayed = play(err, {*rc::gen::inRange(0, 256), 0});
    RC_ASSERT(!replayed.fell);
    RC_ASSERT(!replayed.above);
    RC_ASSERT(replayed.terminal.err.empty() == (replayed.terminal.outcome == Outcome::durable));
    for (const Diagnostic& diagnostic : replayed.diagnostics)
      RC_ASSERT(is_valid_utf8(diagnostic.text));
  });
}

}  // namespace plimsoll
