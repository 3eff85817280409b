// text_tools_recorded_test.cpp - real runs of the tools that print lines for people, and the cases
// that broke other parsers, against the values a person checked; whole, in single bytes and in
// pieces of seven.
#include <algorithm>
#include <csignal>
#include <functional>
#include <sstream>

#include "shim/run/tools/parsers.hpp"
#include "tests/unit/run/replay.hpp"

namespace plimsoll {

namespace {

using test::Replayed;
using Argv = std::vector<std::string>;
using Make = std::function<std::unique_ptr<ToolParser>(const Argv&)>;

constexpr std::array kPieces = {std::size_t{1} << 30, std::size_t{1}, std::size_t{7}};

struct Recording {
  std::string folder;
  std::string tool;  // where its own words begin in the recorded command
  Make make;
};

// The first line of the recorded command, from the tool's name on, cut at spaces; quotes go.
Argv recorded_argv(const Recording& recording, const std::string& name) {
  const std::string text = test::read_recorded(recording.folder + "/" + name + ".cmd");
  std::string line = text.substr(0, text.find('\n'));
  line.erase(std::remove_if(line.begin(), line.end(),
                            [](char byte) { return byte == '\'' || byte == '"'; }),
             line.end());
  std::istringstream words(line.substr(std::min(line.find(recording.tool + " "), line.size())));
  Argv argv;
  for (std::string word; words >> word;)
    argv.push_back(word);
  return argv;
}

ExitStatus exit_of(const nlohmann::json& expected) {
  ExitStatus exit;
  if (expected.at("exit").is_number()) exit.code = expected.at("exit").get<int>();
  if (expected.at("signal") == "SIGKILL") exit.signal = SIGKILL;
  return exit;
}

Outcome outcome_of(const std::string& state) {
  if (state == "succeeded") return Outcome::durable;
  if (state == "partial") return Outcome::incomplete;
  if (state == "cancelled") return Outcome::canceled;
  return Outcome::failed;
}

Replayed replay(const Recording& recording, const std::string& name, const nlohmann::json& expected,
                std::size_t piece) {
  const Argv argv = recorded_argv(recording, name);
  REQUIRE(argv.size() > 1);
  const auto parser = recording.make(argv);
  const std::string base = recording.folder + "/" + name;
  Replayed replayed;
  for (const char* kind : {".stdout.raw", ".tty.raw"})
    test::feed_pieces(*parser, Stream::out, test::read_recorded(base + kind), piece, replayed);
  test::feed_pieces(*parser, Stream::err, test::read_recorded(base + ".stderr.raw"), piece,
                    replayed);
  test::finish(*parser, exit_of(expected), expected.at("state") == "cancelled", replayed);
  return replayed;
}

void check(const nlohmann::json& expected, const Replayed& replayed) {
  CHECK(replayed.terminal.outcome == outcome_of(expected.at("state")));
  CHECK(replayed.terminal.err.empty() == (replayed.terminal.outcome == Outcome::durable));
  CHECK_FALSE(replayed.fell);
  CHECK_FALSE(replayed.above);
  if (expected.at("bytes_done").is_number())
    CHECK(replayed.terminal.completed == expected.at("bytes_done").get<std::int64_t>());
  if (expected.at("bytes_total").is_number())
    CHECK(replayed.last.total == expected.at("bytes_total").get<std::int64_t>());
  if (expected.contains("files_done")) CHECK(replayed.last.files_done == expected.at("files_done"));
  if (replayed.terminal.outcome == Outcome::durable)
    CHECK(replayed.terminal.total == replayed.terminal.completed);
}

void check_all(const Recording& recording, std::size_t at_least) {
  const nlohmann::json expected = test::read_expected(recording.folder + "/expected.json");
  REQUIRE(expected.size() >= at_least);
  for (const std::size_t piece : kPieces) {
    for (const auto& [name, values] : expected.items()) {
      INFO(recording.folder << "/" << name << " in pieces of " << piece);
      check(values, replay(recording, name, values, piece));
    }
  }
}

Replayed replay_one(const Recording& recording, const std::string& name, std::size_t piece = 7) {
  const nlohmann::json expected = test::read_expected(recording.folder + "/expected.json");
  return replay(recording, name, expected.at(name), piece);
}

const Recording kRsync = {"rsync-3.5.0", "rsync", make_rsync_parser};

}  // namespace

TEST_CASE("every recorded rsync run ends with the numbers and the outcome a person checked") {
  check_all(kRsync, 12);
}

TEST_CASE("rsync's coarse percentage narrows down to the total long before the end") {
  const Replayed replayed = replay_one(kRsync, "07-progress2-sigint-exit20");
  CHECK(replayed.last.total >= 417090368);
  CHECK(replayed.last.total < 430000000);
  CHECK(replayed.terminal.err.rfind("canceled: rsync", 0) == 0);
}

TEST_CASE("rsync's total is unknown while its list grows, and a fallen percentage is no fall") {
  const Replayed replayed = replay_one(kRsync, "12-progress2-many-files-inc-recurse");
  CHECK(replayed.totals.front() == 0);
  CHECK(replayed.terminal.total == 2059125313);
}

TEST_CASE("rsync -P is summed file by file, without a total") {
  const Replayed replayed = replay_one(kRsync, "05-progress-per-file-P");
  CHECK(replayed.terminal.completed == 417090368);
  CHECK(replayed.totals == std::vector<std::int64_t>{0});
}

}  // namespace plimsoll
