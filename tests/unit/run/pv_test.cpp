// pv_test.cpp - real pv 1.6 runs, and what pv's arguments say about its numbers.
#include <rapidcheck/catch.h>

#include <csignal>

#include "shim/run/tool_table.hpp"
#include "shim/run/tools/parsers.hpp"
#include "tests/unit/run/replay.hpp"

namespace plimsoll {

namespace {

using test::Replayed;
using Words = std::vector<std::string>;

// The arguments of pv in the recorded command, which ran it in a pipeline.
Words recorded_words(const std::string& name) {
  std::istringstream command(test::read_recorded("pv-1.6.20/" + name + ".cmd"));
  Words words;
  for (std::string word; command >> word;) {
    if (!words.empty() && (word == ">" || word == "|")) break;
    const bool program = word == "pv" || word == "'pv" || word == "\"pv";
    if (program)
      words.emplace_back("pv");
    else if (!words.empty())
      words.push_back(word);
  }
  return words;
}

Replayed play(const std::string& err, ExitStatus exit, const Words& argv, std::int64_t total = 0) {
  const auto parser = make_pv_parser(read_pv_flags(argv), total);
  Replayed replayed;
  test::feed_pieces(*parser, Stream::err, err, 5, replayed);
  test::finish(*parser, exit, false, replayed);
  return replayed;
}

std::string units_of(const Words& argv, std::int64_t total = 0) {
  ToolChoice choice;
  choice.argv = argv;
  choice.total = total;
  return choose_tool(choice)->units;
}

}  // namespace

TEST_CASE("every recorded pv run ends with the outcome of the recording, numbers never falling") {
  const nlohmann::json expected = test::read_expected("pv-1.6.20/expected.json");
  REQUIRE(expected.size() == 8);
  for (const std::size_t piece : test::kPieces) {
    for (const auto& [name, values] : expected.items()) {
      INFO("sample " << name << " in pieces of " << piece);
      const Words words = recorded_words(name);
      REQUIRE(words.size() > 1);
      const PvFlags flags = read_pv_flags(words);
      const auto parser = make_pv_parser(flags, 0);
      const Replayed replayed = test::replay_recorded(*parser, "pv-1.6.20/" + name, values, piece);
      test::check_recorded(values, replayed);
      CHECK((replayed.samples > 0) == flags.numeric);
      if (flags.numeric && values.contains("percent"))
        CHECK(replayed.terminal.completed == values.at("percent").get<std::int64_t>());
    }
  }
}

TEST_CASE("pv's percentage becomes bytes where the size is known, rounded down") {
  CHECK(play("23\n", {1, 0}, {"pv", "-n", "f"}).last.completed == 23);
  CHECK(play("23\n", {1, 0}, {"pv", "-n", "f"}).last.total == 100);
  CHECK(play("33\n", {1, 0}, {"pv", "-n", "f"}, 1000).last.completed == 330);
  CHECK(play("50\n", {1, 0}, {"pv", "-ns", "2k"}).last.completed == 1024);
  CHECK(play("50\n", {0, 0}, {"pv", "-ns", "2k"}).terminal.completed == 2048);
  CHECK(play("100\n", {2, 0}, {"pv", "-n", "f"}).terminal.outcome == Outcome::failed);
}

TEST_CASE("a percentage of nothing is not believed, with or without --total") {
  CHECK(play("50\n", {0, 0}, {"pv", "-n"}).samples == 0);
  CHECK(play("50\n", {0, 0}, {"pv", "-n"}, 1000).samples == 0);
  CHECK(play("50\n", {0, 0}, {"pv", "-n", "-b"}, 1000).last.total == 1000);
}

TEST_CASE("a count above the size that was given raises the total") {
  const Replayed replayed = play("50\n3000\n", {0, 0}, {"pv", "-nb", "-s2K"});
  CHECK(replayed.totals == std::vector<std::int64_t>{2048, 3000});
}

TEST_CASE("pv's arguments are read as pv reads them") {
  CHECK(units_of({"pv", "-n", "f"}) == "percent");
  CHECK(units_of({"pv", "-n", "f"}, 5) == "bytes");
  CHECK(units_of({"pv", "--numeric", "--size=1G"}) == "bytes");
  CHECK(units_of({"pv", "-nbl"}) == "lines");
  CHECK(units_of({"pv", "-nl", "f"}, 5) == "percent");
  CHECK(read_pv_flags({"pv", "-L", "120M"}).has_file == false);
  CHECK(read_pv_flags({"pv", "-L120M", "--", "-n"}).has_file);
  CHECK_FALSE(read_pv_flags({"pv", "--", "-n"}).numeric);
  CHECK_FALSE(read_pv_flags({"pv", "-N", "-n"}).numeric);
  CHECK(read_pv_flags({"pv", "--size", "1G"}).size == 1073741824);
  CHECK(read_pv_flags({"pv", "-s", "99999999999T"}).size ==
        std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("pv's bars are left alone, its numbers are read, and the person is told") {
  ToolChoice choice;
  choice.argv = {"pv", "f"};
  CHECK_FALSE(choose_tool(choice)->read_err);
  CHECK_THAT(choose_tool(choice)->hint, Catch::Contains("-n -b"));
  choice.auto_flags = true;
  CHECK(choose_tool(choice)->argv == Words{"pv", "-n", "-b", "f"});
  CHECK(choose_tool(choice)->read_err);
  CHECK_FALSE(choose_tool(choice)->read_out);
  CHECK(choose_tool(choice)->hint.empty());
  choice.argv = {"pv", "-n", "f"};
  CHECK(choose_tool(choice)->argv == choice.argv);
}

TEST_CASE("any bytes leave pv's parser alive and its counts rising") {
  const Words words = {"7", "100", " ", "3.5 ", "99999999999999999999", "\n", "\r", "pv: ", "\xff"};
  rc::prop("noise", [&] {
    const auto parts = *rc::gen::container<Words>(rc::gen::elementOf(words));
    std::string err;
    for (const std::string& part : parts)
      err += part;
    const auto argv = *rc::gen::element(Words{"pv", "-n", "f"}, Words{"pv", "-nbt"});
    const Replayed replayed = play(err, {*rc::gen::inRange(0, 256), 0}, argv, 1000);
    RC_ASSERT(!replayed.fell);
    RC_ASSERT(!replayed.above);
    RC_ASSERT(replayed.terminal.err.empty() == (replayed.terminal.outcome == Outcome::durable));
  });
}

}  // namespace plimsoll
