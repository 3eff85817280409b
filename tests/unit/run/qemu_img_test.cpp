// qemu_img_test.cpp - real qemu-img 7.2 runs, and carriage returns without a single newline.
#include <rapidcheck/catch.h>

#include <csignal>

#include "shim/run/tool_table.hpp"
#include "shim/run/tools/parsers.hpp"
#include "tests/unit/run/replay.hpp"

namespace plimsoll {

namespace {

using test::Replayed;

constexpr std::int64_t kImage = 536870912;

Replayed play(const std::string& out, ExitStatus exit, std::int64_t size) {
  const auto parser = make_qemu_img_parser(size);
  Replayed replayed;
  test::feed_pieces(*parser, Stream::out, out, 5, replayed);
  test::finish(*parser, exit, false, replayed);
  return replayed;
}

}  // namespace

TEST_CASE("every recorded qemu-img run ends with the percentage and the outcome of the recording") {
  const nlohmann::json expected = test::read_expected("qemu-img-7.2/expected.json");
  REQUIRE(expected.size() == 8);
  for (const std::size_t piece : test::kPieces) {
    for (const auto& [name, values] : expected.items()) {
      INFO("sample " << name << " in pieces of " << piece);
      const double percent = values.at("percent").get<double>();
      const auto hundredths = static_cast<std::int64_t>(percent * 100 + 0.5);
      for (const std::int64_t size : {std::int64_t{0}, kImage}) {
        const auto parser = make_qemu_img_parser(size);
        const Replayed replayed =
            test::replay_recorded(*parser, "qemu-img-7.2/" + name, values, piece);
        test::check_recorded(values, replayed);
        const std::int64_t whole = size > 0 ? size : 100;
        CHECK(replayed.terminal.completed == whole * hundredths / 10'000);
        CHECK(replayed.terminal.total == whole);
        CHECK(replayed.samples > 0);
      }
    }
  }
}

TEST_CASE("a carriage return ends a value: they flow before any newline (BR-12)") {
  for (const std::size_t piece : test::kPieces) {
    const auto parser = make_qemu_img_parser(268435456);
    Replayed replayed;
    const std::string bytes = test::read_recorded("cases/BR-12-qemu-img-cr.bin");
    test::feed_pieces(*parser, Stream::out, bytes.substr(0, bytes.find('\n')), piece, replayed);
    CHECK(replayed.samples == 7);
    CHECK(replayed.last.completed == 268435456);
    CHECK(replayed.last.activity == Activity::finishing);
    test::finish(*parser, ExitStatus{}, false, replayed);
    CHECK(replayed.terminal.outcome == Outcome::durable);
    CHECK(replayed.terminal.total == 268435456);
  }
}

TEST_CASE("a percentage of the source is rounded down") {
  CHECK(play("    (50.50/100%)\r", {1, 0}, 268435456).last.completed == 135559905);
  CHECK(play("    (99.99/100%)\r", {1, 0}, 0).last.completed == 99);
  CHECK(play("    (100.00/100%)\r", {1, 0}, 0).terminal.outcome == Outcome::failed);
}

TEST_CASE("a missing source fails in qemu-img's own words (BR-12b)") {
  for (const std::size_t piece : test::kPieces) {
    const auto parser = make_qemu_img_parser(0);
    Replayed replayed;
    const std::string bytes = test::read_recorded("cases/BR-12b-qemu-img-fail.bin");
    REQUIRE_FALSE(bytes.empty());
    test::feed_pieces(*parser, Stream::out, bytes, piece, replayed);
    test::finish(*parser, ExitStatus{1, 0}, false, replayed);
    CHECK(replayed.terminal.outcome == Outcome::failed);
    CHECK(replayed.terminal.completed == 0);
    CHECK_THAT(replayed.terminal.err, Catch::Contains("Could not open 'src.raw'"));
  }
}

TEST_CASE("qemu-img counts bytes only if the size is given, and speaks only with -p") {
  ToolChoice choice;
  choice.argv = {"qemu-img", "convert", "-O", "qcow2", "a", "b"};
  CHECK_THAT(choose_tool(choice)->hint, Catch::Contains("-p"));
  CHECK_FALSE(choose_tool(choice)->read_out);
  CHECK(choose_tool(choice)->units == "percent");
  choice.auto_flags = true;
  choice.total = kImage;
  CHECK(choose_tool(choice)->units == "bytes");
  CHECK(choose_tool(choice)->read_out);
  CHECK(choose_tool(choice)->argv ==
        std::vector<std::string>{"qemu-img", "convert", "-p", "-O", "qcow2", "a", "b"});
  choice.argv = {"qemu-img", "convert", "-cp", "a", "b"};
  CHECK(choose_tool(choice)->argv == choice.argv);
  CHECK(choose_tool(choice)->hint.empty());
}

TEST_CASE("any bytes leave qemu-img's parser alive and its counts rising") {
  const std::vector<std::string> words = {
      "(",  "12.34",      "/100%)", "(99999999999999999999.9/100%)", "(50.00/100%)\r", "\r",
      "\n", "qemu-img: ", "\xff"};
  rc::prop("noise", [&] {
    const auto parts = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(words));
    std::string out;
    for (const std::string& part : parts)
      out += part;
    const Replayed replayed = play(out, {*rc::gen::inRange(0, 256), 0}, 1000);
    RC_ASSERT(!replayed.fell);
    RC_ASSERT(!replayed.above);
    RC_ASSERT(replayed.terminal.err.empty() == (replayed.terminal.outcome == Outcome::durable));
  });
}

}  // namespace plimsoll
