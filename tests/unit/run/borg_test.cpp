// borg_test.cpp - real borg 1.2 runs against the values a person checked, and the cases that broke
// other parsers.
#include <rapidcheck/catch.h>

#include <csignal>

#include "schemas/text.hpp"
#include "shim/run/record_splitter.hpp"
#include "shim/run/tool_table.hpp"
#include "shim/run/tools/parsers.hpp"
#include "tests/unit/run/replay.hpp"

namespace plimsoll {

namespace {

using test::Replayed;

Replayed play(const std::string& err, ExitStatus exit, bool asked_to_stop = false,
              const std::string& out = "", const std::vector<std::string>& argv = {"borg"}) {
  const auto parser = make_borg_parser(argv);
  Replayed replayed;
  test::feed_pieces(*parser, Stream::err, err, 5, replayed);
  test::feed_pieces(*parser, Stream::out, out, 5, replayed);
  test::finish(*parser, exit, asked_to_stop, replayed);
  return replayed;
}

Replayed play_case(const std::string& file, ExitStatus exit, std::size_t piece) {
  const auto parser = make_borg_parser({"borg", "create"});
  Replayed replayed;
  const std::string bytes = test::read_recorded("cases/" + file);
  REQUIRE_FALSE(bytes.empty());
  test::feed_pieces(*parser, Stream::err, bytes, piece, replayed);
  test::finish(*parser, exit, false, replayed);
  return replayed;
}

const std::string kProgress = R"({"type":"archive_progress","original_size":40,"nfiles":2})"
                              "\n";
const std::string kWarning =
    R"({"type":"log_message","levelname":"WARNING","message":"/x: denied"})"
    "\n";

}  // namespace

TEST_CASE("every recorded borg run ends with the numbers and the outcome a person checked") {
  const nlohmann::json expected = test::read_expected("borg-1.2.4/expected.json");
  REQUIRE(expected.size() == 17);
  for (const std::size_t piece : test::kPieces) {
    for (const auto& [name, values] : expected.items()) {
      INFO("sample " << name << " in pieces of " << piece);
      const auto parser = make_borg_parser({"borg", "create"});
      const Replayed replayed = test::replay_recorded(*parser, "borg-1.2.4/" + name, values, piece);
      test::check_recorded(values, replayed);
      CHECK(parser->counts().malformed == 0);
      CHECK(parser->counts().unknown_types == 0);
      CHECK((replayed.totals.empty() || replayed.totals == std::vector<std::int64_t>{0}));
    }
  }
}

TEST_CASE("the document of --json names the archive and has the whole size") {
  const nlohmann::json values =
      test::read_expected("borg-1.2.4/expected.json").at("13-json-stats-and-json-summary");
  const auto parser = make_borg_parser({"borg", "create", "--json"});
  const Replayed replayed =
      test::replay_recorded(*parser, "borg-1.2.4/13-json-stats-and-json-summary", values, 7);
  CHECK(replayed.terminal.stored_as == "d1");
  CHECK(replayed.terminal.completed == 417090878);
}

TEST_CASE("borg's finished lines end a phase, not the job, and take no number away (BR-11)") {
  for (const std::size_t piece : test::kPieces) {
    const auto parser = make_borg_parser({"borg"});
    Replayed running;
    const std::string file = "cases/BR-11-borg-finished-without-fields.jsonl";
    test::feed_pieces(*parser, Stream::err, test::read_recorded(file), piece, running);
    CHECK(running.last.completed == 46322737);
    CHECK(running.last.total == 0);
    CHECK(running.last.activity == Activity::finishing);
    test::finish(*parser, ExitStatus{}, false, running);
    CHECK(running.terminal.outcome == Outcome::durable);
    CHECK(running.terminal.completed == 46322737);
    CHECK(running.terminal.total == 46322737);
  }
}

TEST_CASE("a usage error is plain text, and its last line is the reason (BR-11b)") {
  for (const std::size_t piece : test::kPieces) {
    const Replayed replayed = play_case("BR-11b-borg-usage-error.txt", ExitStatus{2, 0}, piece);
    CHECK(replayed.terminal.outcome == Outcome::failed);
    CHECK_THAT(replayed.terminal.err, Catch::Contains("unrecognized arguments: --log-json"));
  }
}

TEST_CASE("borg's exit statuses: 1 is incomplete, 2 failed, any after a stop canceled") {
  const Replayed warned = play(kProgress + kWarning + kWarning, {1, 0});
  CHECK(warned.terminal.outcome == Outcome::incomplete);
  CHECK(warned.terminal.err == "incomplete: /x: denied (the last of 2)");
  CHECK(warned.terminal.warnings == 2);
  CHECK(play(kProgress, {2, 0}).terminal.outcome == Outcome::failed);
  CHECK(play(kProgress, {143, 0}).terminal.outcome == Outcome::failed);
  CHECK(play(kProgress, {143, 0}, true).terminal.outcome == Outcome::canceled);
  CHECK(play(kProgress, {2, 0}, true).terminal.outcome == Outcome::canceled);
  CHECK(play(kProgress, {1, 0}, true).terminal.outcome == Outcome::canceled);
  CHECK(play(kProgress, {0, SIGKILL}).terminal.outcome == Outcome::failed);
  CHECK(play(kProgress, {0, 0}, false, "", {"borg", "create", "-n"}).terminal.outcome ==
        Outcome::failed);
}

TEST_CASE("a question that nobody answers is the reason of the failure") {
  const std::string prompt = R"({"type":"question_prompt","message":"Continue? [yN]"})"
                             "\n";
  const Replayed replayed = play(prompt, {2, 0});
  CHECK(replayed.terminal.outcome == Outcome::failed);
  CHECK_THAT(replayed.terminal.err, Catch::Contains("nobody") && Catch::Contains("Continue?"));
  CHECK(play(prompt, {1, 0}).terminal.outcome == Outcome::failed);
  CHECK(play(prompt + R"({"type":"question_env_answer"})", {1, 0}).terminal.outcome ==
        Outcome::incomplete);
}

TEST_CASE("a document without bounds is dropped, not kept") {
  std::string out = "{\n";
  while (out.size() < 3 * kMaxRecordBytes)
    out += "\"x\": 1,\n";
  const auto parser = make_borg_parser({"borg"});
  Replayed replayed;
  test::feed_pieces(*parser, Stream::out, out, 4096, replayed);
  test::finish(*parser, ExitStatus{}, false, replayed);
  CHECK(parser->counts().truncated == 1);
  CHECK(replayed.terminal.outcome == Outcome::durable);
}

TEST_CASE("borg's stdout is read only for the document, and the person is told what is missing") {
  ToolChoice choice;
  choice.argv = {"borg", "create", "::a", "/srv"};
  CHECK_THAT(choose_tool(choice)->hint, Catch::Contains("--log-json --progress"));
  CHECK_FALSE(choose_tool(choice)->read_out);
  CHECK(choose_tool(choice)->read_err);
  choice.auto_flags = true;
  choice.total = 5;
  CHECK(choose_tool(choice)->argv ==
        std::vector<std::string>{"borg", "--log-json", "--progress", "create", "::a", "/srv"});
  CHECK(choose_tool(choice)->hint.empty());
  choice.argv = {"borg", "create", "--json", "--log-json", "--progress", "::a", "/srv"};
  choice.total = 0;
  CHECK(choose_tool(choice)->read_out);
  CHECK_THAT(choose_tool(choice)->hint, Catch::Contains("--total"));
}

TEST_CASE("any bytes leave borg's parser alive and its counts rising") {
  const std::vector<std::string> words = {
      kProgress,
      kWarning,
      "{\n",
      "}",
      "{",
      "50.09 MB O ",
      "\n",
      "\r",
      "\xff\x1b[2K",
      R"({"type":"archive_progress","original_size":-5,"nfiles":1e300,"path":[]})",
      R"({"type":7,"archive":{}})",
      R"("archive":{"stats":[]})",
      std::string("\0", 1)};
  rc::prop("noise", [&] {
    const auto parts = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(words));
    std::string bytes;
    for (const std::string& part : parts)
      bytes += part;
    const Replayed replayed = play(bytes, {*rc::gen::inRange(0, 256), 0}, false, bytes);
    RC_ASSERT(!replayed.fell);
    RC_ASSERT(!replayed.above);
    RC_ASSERT(replayed.terminal.err.empty() == (replayed.terminal.outcome == Outcome::durable));
    for (const Diagnostic& diagnostic : replayed.diagnostics)
      RC_ASSERT(is_valid_utf8(diagnostic.text));
  });
}

}  // namespace plimsoll
