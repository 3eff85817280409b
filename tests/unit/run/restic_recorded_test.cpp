// restic_recorded_test.cpp - real restic 0.14 runs and the cases that broke other parsers, against
// the values a person checked; whole, in single bytes and in pieces of seven.
#include <csignal>

#include "shim/run/tools/parsers.hpp"
#include "tests/unit/run/replay.hpp"

namespace plimsoll {

namespace {

using test::exit_of;
using test::kPieces;
using test::kWhole;
using test::outcome_of;
using test::Replayed;

// Samples named "plain" are text runs: `plimsoll run` leaves their stdout alone and reads stderr
// only.
Replayed replay_sample(const std::string& name, const nlohmann::json& expected, std::size_t piece) {
  Replayed replayed;
  const auto parser = make_restic_parser({"restic", "backup", "--json"});
  const std::string base = "restic-0.14.0/" + name;
  if (name.find("plain") == std::string::npos) {
    test::feed_pieces(*parser, Stream::out, test::read_recorded(base + ".stdout.raw"), piece,
                      replayed);
    test::feed_pieces(*parser, Stream::out, test::read_recorded(base + ".tty.raw"), piece,
                      replayed);
  }
  test::feed_pieces(*parser, Stream::err, test::read_recorded(base + ".stderr.raw"), piece,
                    replayed);
  const bool asked = expected.at("state") == "cancelled" && exit_of(expected).signal != 0;
  test::finish(*parser, exit_of(expected), asked, replayed);
  return replayed;
}

void check_sample(const std::string& name, const nlohmann::json& expected,
                  const Replayed& replayed) {
  INFO("sample " << name);
  CHECK(replayed.terminal.outcome == outcome_of(expected.at("state")));
  CHECK_FALSE(replayed.fell);
  CHECK_FALSE(replayed.above);
  if (expected.at("bytes_done").is_number())
    CHECK(replayed.terminal.completed == expected.at("bytes_done").get<std::int64_t>());
  // The recording's total is what the stream said; a success then makes total = completed.
  if (expected.at("bytes_total").is_number())
    CHECK(replayed.last.total == (replayed.samples > 2 || replayed.last.total > 0
                                      ? expected.at("bytes_total").get<std::int64_t>()
                                      : 0));
  if (replayed.terminal.outcome == Outcome::durable)
    CHECK(replayed.terminal.total == replayed.terminal.completed);
  if (expected.contains("errors")) CHECK(replayed.terminal.errors == expected.at("errors"));
  if (expected.contains("files_done") && replayed.samples > 0)
    CHECK(replayed.last.files_done == expected.at("files_done"));
  CHECK(replayed.terminal.err.empty() == (replayed.terminal.outcome == Outcome::durable));
}

Replayed replay_case(const std::string& file, ExitStatus exit, std::size_t piece) {
  Replayed replayed;
  const auto parser = make_restic_parser({"restic", "backup", "--json"});
  const std::string bytes = test::read_recorded("cases/" + file);
  REQUIRE_FALSE(bytes.empty());
  test::feed_pieces(*parser, Stream::out, bytes, piece, replayed);
  test::finish(*parser, exit, false, replayed);
  CHECK_FALSE(replayed.fell);
  CHECK_FALSE(replayed.above);
  return replayed;
}

// What the parser knew when the stream had ended but the process had not.
Replayed replay_running(const std::string& file, std::size_t piece) {
  Replayed replayed;
  const auto parser = make_restic_parser({"restic", "backup", "--json"});
  test::feed_pieces(*parser, Stream::out, test::read_recorded("cases/" + file), piece, replayed);
  return replayed;
}

}  // namespace

TEST_CASE("every recorded restic run ends with the numbers and the outcome a person checked") {
  const nlohmann::json expected = test::read_expected("restic-0.14.0/expected.json");
  REQUIRE(expected.size() >= 20);
  for (const std::size_t piece : kPieces)
    for (const auto& [name, values] : expected.items())
      check_sample(name, values, replay_sample(name, values, piece));
}

TEST_CASE("the expected.json of each case holds for its final numbers") {
  const nlohmann::json expected = test::read_expected("cases/expected.json");
  for (const std::size_t piece : kPieces) {
    for (const auto& [file, values] : expected.items()) {
      if (file.find("restic") == std::string::npos && file.find("BR-29") == std::string::npos)
        continue;
      if (!values.contains("final") || !values.at("exit").is_number()) continue;
      INFO("case " << file << " in pieces of " << piece);
      const Replayed replayed =
          replay_case(file, ExitStatus{values.at("exit").get<int>(), 0}, piece);
      const auto& wanted = values.at("final");
      if (wanted.contains("itemsCompleted")) {
        CHECK(replayed.terminal.completed == wanted.at("itemsCompleted"));
        CHECK(replayed.terminal.total == wanted.at("itemsToComplete"));
      }
      CHECK(replayed.terminal.err.empty() == wanted.at("err").get<std::string>().empty());
    }
  }
}

TEST_CASE("a stream cut inside a line keeps the last whole value and names the signal (BR-01)") {
  for (const std::size_t piece : kPieces) {
    const auto parser = make_restic_parser({"restic"});
    Replayed replayed;
    const std::string bytes = test::read_recorded("cases/BR-01-restic-cut-line.jsonl");
    test::feed_pieces(*parser, Stream::out, bytes, piece, replayed);
    CHECK(replayed.last.completed == 10000000);
    CHECK(replayed.last.total == 40000000);
    test::finish(*parser, ExitStatus{0, SIGKILL}, false, replayed);
    CHECK(replayed.terminal.outcome == Outcome::failed);
    CHECK_THAT(replayed.terminal.err, Catch::Contains("signal 9"));
    CHECK(replayed.terminal.completed == 10000000);
    CHECK(parser->counts().truncated == 1);
    CHECK(parser->counts().malformed == 0);
  }
}

TEST_CASE("an unknown total stays unknown while restic reads a pipe (BR-02)") {
  const Replayed running = replay_running("BR-02a-restic-stdin-no-total.jsonl", 7);
  CHECK(running.totals == std::vector<std::int64_t>{0});
  CHECK(running.last.completed == 62914560);
}

TEST_CASE("a total that grows while restic scans is passed on (BR-03)") {
  const Replayed running = replay_running("BR-03-restic-overlap-stops-at-57pct.jsonl", 1);
  CHECK(running.totals == std::vector<std::int64_t>{102400000, 716800000});
}

TEST_CASE("more done than planned raises the total and keeps the count (BR-04)") {
  const Replayed running = replay_running("BR-04-restic-over-100.jsonl", kWhole);
  CHECK(running.last.completed == 95803540000);
  CHECK(running.last.total >= 95803540000);
  CHECK(running.last.files_total >= running.last.files_done);
}

TEST_CASE("noise between JSON lines is kept as three diagnostics and one unknown type (BR-05)") {
  for (const std::size_t piece : kPieces) {
    const auto parser = make_restic_parser({"restic"});
    Replayed replayed;
    const std::string bytes = test::read_recorded("cases/BR-05-restic-noise-between-json.bin");
    test::feed_pieces(*parser, Stream::out, bytes, piece, replayed);
    CHECK(parser->counts().text_lines == 3);
    CHECK(parser->counts().unknown_types == 1);
    CHECK(replayed.diagnostics.size() == 3);
    for (const Diagnostic& diagnostic : replayed.diagnostics)
      CHECK(diagnostic.severity == Severity::info);
    CHECK(replayed.last.completed == 40000000);
  }
}

TEST_CASE(
    "all three shapes of an error object are counted, and the flood after them is read (BR-06)") {
  const std::string file = "BR-06-restic-error-shapes-then-flood.jsonl";
  const Replayed replayed = replay_case(file, ExitStatus{3, 0}, 7);
  CHECK(replayed.terminal.outcome == Outcome::incomplete);
  CHECK(replayed.terminal.errors == 3);
  CHECK_THAT(replayed.terminal.err, Catch::StartsWith("incomplete:") && Catch::Contains("3 "));
  CHECK(replayed.diagnostics.at(0).text == "/data/locked: read: Permission denied");
  CHECK(replayed.diagnostics.at(1).text == "/data/locked2");
  CHECK_THAT(replayed.diagnostics.at(2).text, Catch::EndsWith("permission denied"));
}

TEST_CASE("exit status 3 is incomplete and keeps the snapshot (BR-07)") {
  const Replayed replayed = replay_case("BR-07-restic014-exit3.jsonl", ExitStatus{3, 0}, 1);
  CHECK(replayed.terminal.outcome == Outcome::incomplete);
  CHECK(replayed.terminal.stored_as == "ae5a0e22");
  CHECK_THAT(replayed.terminal.err,
             Catch::Contains("1 unreadable item") && Catch::Contains("ae5a0e22"));
}

TEST_CASE("every byte read is finishing, not done, until summary and exit status say so (BR-08)") {
  const std::string file = "BR-08-restic-full-bytes-no-summary.jsonl";
  CHECK(replay_running(file, 7).last.activity == Activity::finishing);
  const Replayed replayed = replay_case(file, ExitStatus{0, 0}, 7);
  CHECK(replayed.terminal.outcome == Outcome::failed);
  CHECK_THAT(replayed.terminal.err, Catch::Contains("without a summary"));
}

}  // namespace plimsoll
