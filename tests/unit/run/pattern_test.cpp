// pattern_test.cpp - `--tool percent:REGEX` and `bytes:REGEX`, and the regexes that are refused.
#include <rapidcheck/catch.h>

#include <csignal>

#include "shim/run/bounded_regex.hpp"
#include "shim/run/tool_table.hpp"
#include "shim/run/tools/parsers.hpp"
#include "tests/unit/run/replay.hpp"

namespace plimsoll {

namespace {

using test::Replayed;

Replayed play(const std::string& spec, const std::string& bytes, ExitStatus exit = {}) {
  auto parser = make_pattern_parser(spec);
  REQUIRE(parser);
  Replayed replayed;
  test::feed_pieces(**parser, Stream::err, bytes, 3, replayed);
  test::finish(**parser, exit, false, replayed);
  return replayed;
}

}  // namespace

TEST_CASE("a percentage is rounded down, never falls and never passes 100") {
  const std::string bytes = "    (0.99/100%)\r    (12.34/100%)\r (7.00/100%)\r (250/100%)\r";
  const Replayed replayed = play(R"(percent:\(([0-9.]+)/100%\))", bytes, {1, 0});
  CHECK_FALSE(replayed.fell);
  CHECK(replayed.samples == 4);
  CHECK(replayed.last.completed == 100);
  CHECK(replayed.last.activity == Activity::finishing);
  CHECK(replayed.terminal.outcome == Outcome::failed);  // 100 is not completion
}

TEST_CASE("bytes take their total from the second group, if there is one") {
  CHECK(play(R"(bytes:(\d+)/(\d+))", "10/40\n20/40\n").last.total == 40);
  const Replayed unknown = play(R"(bytes:^(\d+) bytes)", "\r77 bytes copied", {1, 0});
  CHECK(unknown.last.completed == 77);
  CHECK(unknown.terminal.total == 0);
}

TEST_CASE("success makes total and completed one, for percent 100") {
  const Replayed percent = play("percent:([0-9]+)%", "\r 98%\n");
  CHECK(percent.terminal.completed == 100);
  CHECK(percent.terminal.total == 100);
  const Replayed bytes = play(R"(bytes:(\d+)/(\d+))", "30/40\n");
  CHECK(bytes.terminal.completed == 30);
  CHECK(bytes.terminal.total == 30);
}

TEST_CASE("the tool's last words on stderr explain a failure") {
  const Replayed replayed = play("percent:([0-9]+)%", "5%\nno space left\n", {2, 0});
  CHECK(replayed.terminal.err == "the tool: exit status 2: no space left");
}

TEST_CASE(
    "a regex that is invalid or could grow without bound is a usage error before anything runs") {
  const std::vector<std::string> refused = {"percent:",
                                            "percent:(",
                                            "percent:[0-9]+%",
                                            R"(percent:(a)\1)",
                                            "bytes:((a{100}){100})",
                                            "bytes:(a{99999})",
                                            "bytes:(" + std::string(300, 'a') + ")",
                                            "lines:(x)",
                                            "nosuchtool"};
  for (const std::string& spec : refused) {
    INFO(spec);
    const auto parser = make_pattern_parser(spec);
    REQUIRE_FALSE(parser);
    CHECK(parser.error().code == ErrorCode::usage);
    CHECK_FALSE(parser.error().message.empty());
  }
}

TEST_CASE("patterns that make backtracking matchers explode end on hostile text") {
  for (const std::string pattern : {"((a+)+)$", "((a|aa)+)$", "((a*)*b)", "(.*.*.*.*x)"}) {
    auto regex = BoundedRegex::compile(pattern);
    REQUIRE(regex);
    BoundedRegex::Groups groups;
    (void)regex->find(std::string(kMaxMatchedBytes, 'a') + "!", groups);
  }
  SUCCEED("every search came back");
}

TEST_CASE("tools are recognised by the name of the program") {
  const auto name_of = [](const std::string& program) {
    ToolChoice choice;
    choice.argv = {program, "backup", "--json"};
    return choose_tool(choice)->name;
  };
  CHECK(name_of("/usr/local/bin/restic") == "restic");
  CHECK(name_of("restic_0.18.0") == "restic");
  CHECK(name_of("resticprofile").empty());
  CHECK(name_of("cp").empty());
}

TEST_CASE("restic without --json keeps its stdout and the person is told once") {
  ToolChoice choice;
  choice.argv = {"restic", "backup", "/srv"};
  const auto plain = choose_tool(choice);
  CHECK_FALSE(plain->read_out);
  CHECK(plain->read_err);
  CHECK_THAT(plain->hint, Catch::Contains("--json"));
  choice.auto_flags = true;
  const auto helped = choose_tool(choice);
  CHECK(helped->argv == std::vector<std::string>{"restic", "--json", "backup", "/srv"});
  CHECK(helped->read_out);
  CHECK(helped->hint.empty());
}

TEST_CASE("an unknown --tool is a usage error that names what there is") {
  ToolChoice choice;
  choice.argv = {"cp"};
  choice.spec = "xcopy";
  const auto chosen = choose_tool(choice);
  REQUIRE_FALSE(chosen);
  CHECK(chosen.error().code == ErrorCode::usage);
  CHECK_THAT(chosen.error().hint, Catch::Contains("percent:REGEX"));
}

TEST_CASE("any text leaves a pattern's counts rising and below the total") {
  rc::prop("noise", [] {
    const auto bytes = *rc::gen::container<std::string>(
        rc::gen::elementOf(std::string("0123456789/% .\r\n\xff") + '\0'));
    const Replayed replayed = play(R"(bytes:([0-9]+)/([0-9]+))", bytes, {1, 0});
    RC_ASSERT(!replayed.fell);
    RC_ASSERT(!replayed.above);
  });
}

}  // namespace plimsoll
