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
const Recording kZstd = {"zstd-1.5.4", "zstd", make_zstd_parser};
const Recording kTar = {"tar-1.34", "tar", make_tar_parser};
const Recording kCurl = {"curl-7.88.1", "curl", make_curl_parser};
const Recording kAws = {"aws-cli-1.46.3-s3", "aws", make_aws_parser};

constexpr std::int64_t kMiB = 1 << 20;

Replayed replay_case(const std::unique_ptr<ToolParser>& parser, const std::string& file,
                     std::size_t piece) {
  Replayed replayed;
  const std::string bytes = test::read_recorded("cases/" + file);
  REQUIRE_FALSE(bytes.empty());
  test::feed_pieces(*parser, Stream::err, bytes, piece, replayed);
  CHECK_FALSE(replayed.fell);
  CHECK_FALSE(replayed.above);
  return replayed;
}

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

TEST_CASE("every recorded zstd run ends with the outcome a person checked") {
  check_all(kZstd, 4);
}

TEST_CASE("zstd's ratio is no progress; a pipe has no total, a file has one") {
  const Replayed file = replay_one(kZstd, "02-zstd-progress-forced-nontty");
  CHECK(file.totals == std::vector<std::int64_t>{512 * kMiB});
  CHECK(file.samples > 30);
  CHECK(file.terminal.completed == 512 * kMiB);
  CHECK(replay_one(kZstd, "03-zstd-tty").terminal.completed == 512 * kMiB);
  const Replayed pipe = replay_one(kZstd, "04-zstd-stdin-progress");
  CHECK(pipe.totals == std::vector<std::int64_t>{0, 512 * kMiB});  // the last line says it
  CHECK(pipe.terminal.completed == 512 * kMiB);
}

TEST_CASE("every recorded tar run ends with the numbers and the outcome a person checked") {
  check_all(kTar, 5);
}

TEST_CASE("tar never has a total, and an unreadable file is told") {
  const Replayed replayed = replay_one(kTar, "05-unreadable-exit2");
  CHECK(replayed.totals == std::vector<std::int64_t>{0});
  CHECK(replayed.terminal.completed == 35000 * 10240);
  CHECK(replayed.terminal.errors == 1);
  CHECK_THAT(replayed.terminal.err,
             Catch::StartsWith("incomplete: ") && Catch::Contains("f003.bin"));
  CHECK_THAT(replay_one(kTar, "06-file-changed-exit1").terminal.err,
             Catch::StartsWith("incomplete: ") && Catch::Contains("grow.bin"));
}

TEST_CASE("every recorded curl run ends with the outcome a person checked") {
  check_all(kCurl, 4);
}

TEST_CASE("curl's meter knows the size of a file and not that of a pipe") {
  const Replayed file = replay_one(kCurl, "01-upload-meter-nontty");
  CHECK(file.totals == std::vector<std::int64_t>{0, 190 * kMiB});
  CHECK(file.terminal.completed == 190 * kMiB);
  const Replayed pipe = replay_one(kCurl, "03-upload-stdin-chunked");
  CHECK(pipe.totals == std::vector<std::int64_t>{0});
  CHECK(pipe.terminal.completed == 190 * kMiB);
  CHECK_THAT(replay_one(kCurl, "04-refused-exit7").terminal.err,
             Catch::Contains("exit status 7") && Catch::Contains("Failed to connect"));
}

TEST_CASE("kopia's done is hashed plus cached, and its own percentage is not believed (BR-09)") {
  for (const std::size_t piece : kPieces) {
    const auto parser = make_kopia_parser({"kopia"});
    const Replayed replayed = replay_case(parser, "BR-09-kopia-lines.bin", piece);
    CHECK(replayed.totals == std::vector<std::int64_t>{0, 307200000000, 320200000000});
    CHECK(replayed.last.completed == 320200000000);
    CHECK(replayed.last.errors == 5);
    CHECK(replayed.last.files_done == 410901);
  }
}

TEST_CASE("each of kopia's lines is counted as it comes (BR-09)") {
  const auto parser = make_kopia_parser({"kopia"});
  const Replayed replayed = replay_case(parser, "BR-09-kopia-lines.bin", 1);
  CHECK(replayed.samples >= 4);
  const std::string bytes = test::read_recorded("cases/BR-09-kopia-lines.bin");
  const auto early = make_kopia_parser({"kopia"});
  Replayed first;
  test::feed_pieces(*early, Stream::err, bytes.substr(0, bytes.find("/ 7 hashing")), 7, first);
  CHECK(first.last.completed == 6);
  CHECK(first.last.total == 0);
}

TEST_CASE("rbd's value counts before anything follows it, and 100 % is not the end (BR-13)") {
  const std::string bytes = test::read_recorded("cases/BR-13-rbd-export-jump.bin");
  const std::string start = bytes.substr(0, bytes.find("62% complete...") + 15);
  for (const std::size_t piece : kPieces) {
    const auto early = make_rbd_parser({"rbd"});
    Replayed running;
    test::feed_pieces(*early, Stream::err, start, piece, running);
    CHECK(running.last.completed == 62);
    const auto parser = make_rbd_parser({"rbd"});
    Replayed replayed = replay_case(parser, "BR-13-rbd-export-jump.bin", piece);
    CHECK(replayed.last.completed == 100);
    CHECK(replayed.last.activity == Activity::finishing);
    test::finish(*parser, {0, 0}, false, replayed);
    CHECK(replayed.terminal.outcome == Outcome::durable);
    CHECK(replayed.terminal.completed == 100);
  }
}

TEST_CASE("rbd's failed. is a failure even if a script around it ends with 0 (BR-13)") {
  for (const int code : {0, 5}) {
    const auto parser = make_rbd_parser({"rbd"});
    Replayed replayed = replay_case(parser, "BR-13b-rbd-export-failed.bin", 7);
    test::finish(*parser, {code, 0}, false, replayed);
    CHECK(replayed.terminal.outcome == Outcome::failed);
    CHECK(replayed.terminal.completed == 3);
    CHECK_THAT(replayed.terminal.err, Catch::Contains("Input/output error"));
  }
}

TEST_CASE("every recorded aws s3 run ends with the outcome a person checked") {
  check_all(kAws, 7);
}

TEST_CASE("aws's total grows while it lists, and what it skips makes the end incomplete") {
  const Replayed file = replay_one(kAws, "01-cp-nontty");
  CHECK(file.terminal.completed == 199963443);  // 190.7 MiB
  CHECK(file.last.files_done == 1);
  const Replayed growing = replay_one(kAws, "04-sync-nontty");
  CHECK(growing.totals.size() > 3);
  CHECK(std::is_sorted(growing.totals.begin(), growing.totals.end()));
  CHECK(growing.terminal.completed == 280808652);  // 267.8 MiB
  const Replayed skipped = replay_one(kAws, "08-sync-unreadable");
  CHECK(skipped.terminal.warnings == 1);
  CHECK_THAT(skipped.terminal.err,
             Catch::StartsWith("incomplete: ") && Catch::Contains("f003.bin"));
  CHECK_THAT(replay_one(kAws, "05-cp-no-bucket-exit1").terminal.err,
             Catch::Contains("does not exist"));
}

}  // namespace plimsoll
