// dd_test.cpp - real dd 9.1 runs, in English and in German.
#include <rapidcheck/catch.h>

#include <csignal>

#include "shim/run/tool_table.hpp"
#include "shim/run/tools/parsers.hpp"
#include "tests/unit/run/replay.hpp"

namespace plimsoll {

namespace {

using test::Replayed;

Replayed play(const std::string& err, ExitStatus exit) {
  const auto parser = make_dd_parser();
  Replayed replayed;
  test::feed_pieces(*parser, Stream::err, err, 5, replayed);
  test::finish(*parser, exit, false, replayed);
  return replayed;
}

}  // namespace

TEST_CASE("every recorded dd run ends with the bytes and the outcome of the recording") {
  const nlohmann::json expected = test::read_expected("coreutils-9.1-dd/expected.json");
  REQUIRE(expected.size() == 5);
  for (const std::size_t piece : test::kPieces) {
    for (const auto& [name, values] : expected.items()) {
      INFO("sample " << name << " in pieces of " << piece);
      const auto parser = make_dd_parser();
      const Replayed replayed =
          test::replay_recorded(*parser, "coreutils-9.1-dd/" + name, values, piece);
      test::check_recorded(values, replayed);
      CHECK(replayed.samples >= 2);
      CHECK(replayed.totals == std::vector<std::int64_t>{0});
    }
  }
}

TEST_CASE("dd's failure is told in its own words, without its block counts") {
  const std::string report = "101+0 records in\n100+0 records out\n7 bytes copied, 1 s, 7 B/s\n";
  const Replayed replayed = play("dd: error writing 'o': No space left on device\n" + report, {1});
  CHECK(replayed.terminal.outcome == Outcome::failed);
  CHECK(replayed.terminal.completed == 7);
  CHECK(replayed.terminal.err == "dd: exit status 1: error writing 'o': No space left on device");
  CHECK(replayed.diagnostics.size() == 1);
  CHECK(play("3 truncated records\n", {0, 0}).samples == 0);
}

TEST_CASE("dd needs status=progress, which --auto-flags adds unless a status is given") {
  ToolChoice choice;
  choice.argv = {"dd", "if=a", "of=b"};
  CHECK_THAT(choose_tool(choice)->hint, Catch::Contains("status=progress"));
  CHECK_FALSE(choose_tool(choice)->read_out);
  CHECK(choose_tool(choice)->read_err);
  choice.auto_flags = true;
  CHECK(choose_tool(choice)->argv.back() == "status=progress");
  CHECK(choose_tool(choice)->hint.empty());
  choice.argv = {"dd", "if=a", "status=none"};
  CHECK(choose_tool(choice)->argv == choice.argv);
  CHECK_FALSE(choose_tool(choice)->hint.empty());
}

TEST_CASE("any bytes leave dd's parser alive and its counts rising") {
  const std::vector<std::string> words = {"7",
                                          " bytes",
                                          " copied, ",
                                          "1 s, 2 B/s",
                                          "\r",
                                          "\n",
                                          "99999999999999999999",
                                          "+0 records in",
                                          "\xff"};
  rc::prop("noise", [&] {
    const auto parts = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(words));
    std::string err;
    for (const std::string& part : parts)
      err += part;
    const Replayed replayed = play(err, {*rc::gen::inRange(0, 256), 0});
    RC_ASSERT(!replayed.fell);
    RC_ASSERT(replayed.terminal.err.empty() == (replayed.terminal.outcome == Outcome::durable));
  });
}

}  // namespace plimsoll
