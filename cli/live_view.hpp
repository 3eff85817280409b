// live_view.hpp - turns one frame into the bytes that change the terminal from the frame before.
// Pure: it remembers what the terminal shows, and only changed cells are written.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/styled.hpp"

namespace plimsoll::cli {

enum class Placement {
  full_screen,  // the alternate screen, from its first row
  in_place,     // below what is there; grows downwards, keeps the scrollback
};

class LiveView {
 public:
  LiveView(Placement placement, bool colour) : placement_(placement), colour_(colour) {}

  // Hides the cursor and makes room. Once, before the first draw and again after end().
  [[nodiscard]] std::string begin();

  // What to write so that the terminal shows `frame`. Lines must not be wider than the terminal.
  [[nodiscard]] std::string draw(const Lines& frame);

  // The terminal no longer shows what we wrote (resized, continued): the next draw writes all.
  void forget();

  // Puts the terminal back: cursor shown; below the frame (in place) or off the alternate screen.
  [[nodiscard]] std::string end();

 private:
  struct Cell {
    std::string glyph;  // "" = the second column of a wide one
    Tone tone = Tone::plain;
    bool operator==(const Cell&) const = default;
  };
  using Row = std::vector<Cell>;

  [[nodiscard]] static Row cells_of(const Line& line);
  void draw_row(std::string& out, std::size_t row, const Row& from, const Row& to);
  void move_to(std::string& out, std::size_t row, std::size_t column);
  void write_cells(std::string& out, const Row& row, std::size_t first, std::size_t last);

  Placement placement_;
  bool colour_;
  bool clear_first_ = false;
  std::vector<Row> shown_;
  std::size_t row_ = 0;  // where the cursor is
  std::size_t column_ = 0;
  std::size_t last_row_ = 0;  // the lowest row that exists (in place)
};

}  // namespace plimsoll::cli
