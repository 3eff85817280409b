// live_view_test.cpp - the bytes written make a terminal show the frame; checked with a small
// terminal.
#include "cli/live_view.hpp"

#include <rapidcheck/catch.h>
#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace plimsoll::cli;

namespace {

// Knows exactly what live_view writes; anything else fails the test.
class TinyTerminal {
 public:
  void feed(std::string_view bytes) {
    while (!bytes.empty()) {
      if (bytes.starts_with("\x1b[")) {
        bytes.remove_prefix(2);
        const auto end = bytes.find_first_not_of("0123456789;?");
        REQUIRE(end != bytes.npos);
        sequence(std::string(bytes.substr(0, end)), bytes[end]);
        bytes.remove_prefix(end + 1);
        continue;
      }
      put(bytes);
    }
  }
  [[nodiscard]] std::string line(std::size_t at_row) const {
    std::string text;
    if (at_row < cells_.size())
      for (const auto& cell : cells_[at_row])
        text += cell;
    const auto last = text.find_last_not_of(' ');
    return last == text.npos ? "" : text.substr(0, last + 1);
  }
  [[nodiscard]] std::string screen() const {
    std::string text;
    for (std::size_t i = 0; i < cells_.size(); ++i)
      text += line(i) + "\n";
    while (text.ends_with("\n\n"))
      text.pop_back();
    return text;
  }
  bool cursor_shown = true;
  bool alternate = false;
  std::size_t row = 0, column = 0;

 private:
  void put(std::string_view& bytes) {
    if (bytes[0] == '\r' || bytes[0] == '\n') {
      if (bytes[0] == '\r') column = 0;
      if (bytes[0] == '\n') ++row;
      bytes.remove_prefix(1);
      return;
    }
    const auto glyph = first_glyph(bytes);
    at(row, column) = std::string(glyph.bytes);
    if (glyph.width == 2) at(row, column + 1) = "";
    column += glyph.width;
    bytes.remove_prefix(glyph.bytes.size());
  }
  std::string& at(std::size_t r, std::size_t c) {
    if (cells_.size() <= r) cells_.resize(r + 1);
    if (cells_[r].size() <= c) cells_[r].resize(c + 1, " ");
    return cells_[r][c];
  }
  void sequence(const std::string& arguments, char letter) {
    const auto number = arguments.empty() || arguments[0] == '?' ? 1 : std::stoul(arguments);
    switch (letter) {
      case 'A':
        row -= number;
        return;
      case 'B':
        row += number;
        return;
      case 'G':
        column = number - 1;
        return;
      case 'H': {
        const auto second = arguments.find(';');
        row = number - 1;
        column = std::stoul(arguments.substr(second + 1)) - 1;
        return;
      }
      case 'J':
        at(row, column);
        cells_.resize(row + 1);
        cells_[row].resize(column);
        return;
      case 'K':
        at(row, column);
        cells_[row].resize(column);
        return;
      case 'm':
        return;
      case 'h':
      case 'l':
        mode(arguments, letter == 'h');
        return;
      default:
        FAIL("a sequence nobody expects: " << arguments << letter);
    }
  }
  void mode(const std::string& arguments, bool on) {
    if (arguments == "?25")
      cursor_shown = on;
    else if (arguments == "?1049")
      alternate = on;
    else
      REQUIRE(arguments == "?2026");
  }
  std::vector<std::vector<std::string>> cells_;
};

Lines lines(std::initializer_list<const char*> texts) {
  Lines all;
  for (const char* text : texts)
    all.push_back({{text, Tone::plain}});
  return all;
}

}  // namespace

TEST_CASE("a frame appears, changes and shrinks in both placements") {
  for (const auto placement : {Placement::full_screen, Placement::in_place}) {
    LiveView view(placement, true);
    TinyTerminal terminal;
    terminal.feed(view.begin());
    CHECK_FALSE(terminal.cursor_shown);
    CHECK(terminal.alternate == (placement == Placement::full_screen));
    terminal.feed(view.draw(lines({"first line", "second", "third"})));
    CHECK(terminal.screen() == "first line\nsecond\nthird\n");
    terminal.feed(view.draw(lines({"first lane", "second and more"})));
    CHECK(terminal.screen() == "first lane\nsecond and more\n");
    terminal.feed(view.draw(lines({"x", "", "", "y"})));
    CHECK(terminal.screen() == "x\n\n\ny\n");
    terminal.feed(view.end());
    CHECK(terminal.cursor_shown);
    CHECK_FALSE(terminal.alternate);
  }
}

TEST_CASE("an unchanged frame costs no byte, and one changed figure only a few") {
  LiveView view(Placement::full_screen, true);
  (void)view.begin();
  (void)view.draw(lines({"> sending  shop/minio-2   50.2%", "> sending  crm/mssql-0    12.0%"}));
  CHECK(view.draw(lines({"> sending  shop/minio-2   50.2%", "> sending  crm/mssql-0    12.0%"}))
            .empty());
  const auto bytes =
      view.draw(lines({"> sending  shop/minio-2   50.3%", "> sending  crm/mssql-0    12.0%"}));
  CHECK(bytes.size() < 32);
}

TEST_CASE("in place, the end leaves the cursor on the line below the frame") {
  LiveView view(Placement::in_place, false);
  TinyTerminal terminal;
  terminal.feed(view.begin());
  terminal.feed(view.draw(lines({"a", "b", "c"})));
  terminal.feed(view.draw(lines({"A", "b", "c"})));
  terminal.feed(view.end());
  CHECK(terminal.row == 3);
  CHECK(terminal.column == 0);
}

TEST_CASE("after a resize everything is written again") {
  LiveView view(Placement::full_screen, false);
  (void)view.begin();
  (void)view.draw(lines({"hello"}));
  view.forget();
  TinyTerminal terminal;
  terminal.feed(view.draw(lines({"hello"})));
  CHECK(terminal.screen() == "hello\n");
}

TEST_CASE("whatever frames follow each other, the terminal shows the last one") {
  rc::prop("diff law", [](const std::vector<std::vector<std::uint8_t>>& shapes, bool full) {
    static const char* kPieces[] = {"a", "bb ", " ", "日", "é", "███", "x y", ""};
    LiveView view(full ? Placement::full_screen : Placement::in_place, true);
    TinyTerminal terminal;
    terminal.feed(view.begin());
    for (const auto& shape : shapes) {
      Lines frame(1);
      std::string expected;
      for (const auto byte : shape) {
        if (byte % 5 == 0)
          frame.emplace_back();
        else
          frame.back().push_back({kPieces[byte % 8], byte % 3 == 0 ? Tone::red : Tone::plain});
      }
      for (const auto& line : frame)
        expected += painted(line, false) + "\n";
      while (expected.ends_with("\n\n"))
        expected.pop_back();
      if (expected == "\n") expected.clear();
      terminal.feed(view.draw(frame));
      auto shown = terminal.screen();
      if (shown == "\n") shown.clear();
      RC_ASSERT(shown == expected);
    }
  });
}
