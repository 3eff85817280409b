// styled_test.cpp - widths, cuts and bars.
#include "cli/styled.hpp"

#include <rapidcheck/catch.h>
#include <catch2/catch.hpp>

using namespace plimsoll::cli;

namespace {

std::string bar_text(std::optional<double> fraction, BarLook look) {
  return painted(bar(fraction, look), false);
}

}  // namespace

TEST_CASE("widths count columns, not bytes") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("größe") == 5);
  CHECK(display_width("日本") == 4);
  CHECK(display_width("e\u0301") == 1);
}

TEST_CASE("a long name loses its middle, for both ends tell more") {
  CHECK(cut_middle("shop/pg-data-0", 20, true) == "shop/pg-data-0");
  CHECK(cut_middle("shop/pg-data-0", 10, true) == "shop…ata-0");
  CHECK(cut_middle("shop/pg-data-0", 10, false) == "shop~ata-0");
  CHECK(cut_end("shop/pg-data-0", 5, true) == "shop…");
  CHECK(cut_end("abc", 0, true).empty());
}

TEST_CASE("no cut is wider than asked, whatever the text") {
  rc::prop("cut_middle and cut_end fit", [](std::size_t seed) {
    const char* texts[] = {"persistentvolumeclaims/shop/data-0", "日本語のとても長い名前です",
                           "éèêë", "x"};
    const std::string text = texts[seed % 4];
    const auto width = seed / 4 % 30;
    RC_ASSERT(display_width(cut_middle(text, width, true)) <= width);
    RC_ASSERT(display_width(cut_end(text, width, false)) <= width);
  });
}

TEST_CASE("bars are exactly as wide as asked, full only at the end, and never full when unknown") {
  CHECK(bar_text(0.5, {10, false, 0, Tone::cyan}) == "#####-----");
  CHECK(bar_text(0.999, {10, false, 0, Tone::cyan}) == "#########-");
  CHECK(bar_text(1.0, {10, false, 0, Tone::cyan}) == "##########");
  CHECK(bar_text(0.55, {10, true, 0, Tone::cyan}) == "█████▌░░░░");
  CHECK(bar_text(std::nullopt, {10, false, 0, Tone::cyan}) == "<=>.......");
  CHECK(bar_text(std::nullopt, {10, false, 3, Tone::cyan}) == "...<=>....");
  rc::prop("width", [](std::uint16_t thousandth, std::uint8_t width, bool utf8) {
    const BarLook look{width, utf8, thousandth, Tone::plain};
    RC_ASSERT(display_width(bar(thousandth / 65535.0, look)) == width);
    RC_ASSERT(display_width(bar(std::nullopt, look)) == width);
  });
}

TEST_CASE("colour is written only on request and always ended") {
  const Line line = {{"ok", Tone::green}, {" "}, {"then", Tone::plain}};
  CHECK(painted(line, false) == "ok then");
  CHECK(painted(line, true) == "\x1b[0;32mok\x1b[0m then");
  CHECK(painted({{"x", Tone::red}}, true) == "\x1b[0;31mx\x1b[0m");
  CHECK(painted({{"x   "}}, false) == "x");
}
