// live_view.cpp - cells compared, runs of changes written, the cursor moved as little as needed.
#include "cli/live_view.hpp"

#include <algorithm>

namespace plimsoll::cli {
namespace {

// Terminals that do not know a private mode ignore it.
constexpr std::string_view kSyncBegin = "\x1b[?2026h";
constexpr std::string_view kSyncEnd = "\x1b[?2026l";
constexpr std::string_view kHideCursor = "\x1b[?25l";
constexpr std::string_view kShowCursor = "\x1b[?25h";
constexpr std::string_view kAlternateOn = "\x1b[?1049h";
constexpr std::string_view kAlternateOff = "\x1b[?1049l";
constexpr std::string_view kClearBelow = "\x1b[J";
constexpr std::string_view kClearToEnd = "\x1b[K";
constexpr std::size_t kCheaperToWrite =
    5;  // unchanged cells between two runs; a move costs about 6

std::string sequence(std::size_t number, char letter) {
  return "\x1b[" + std::to_string(number) + letter;
}

}  // namespace

std::string LiveView::begin() {
  shown_.clear();
  row_ = column_ = last_row_ = 0;
  clear_first_ = true;
  std::string out;
  if (placement_ == Placement::full_screen) out += kAlternateOn;
  return out.append(kHideCursor);
}

void LiveView::forget() {
  clear_first_ = true;
}

std::string LiveView::draw(const Lines& frame) {
  std::string changes;
  if (clear_first_) {
    if (placement_ == Placement::full_screen)
      row_ = 1;  // anywhere but home, so that it moves there
    move_to(changes, 0, 0);
    changes += kClearBelow;
    shown_.clear();
    clear_first_ = false;
  }
  std::vector<Row> rows;
  rows.reserve(frame.size());
  for (const auto& line : frame)
    rows.push_back(cells_of(line));
  const Row empty;
  for (std::size_t i = 0; i < std::max(rows.size(), shown_.size()); ++i)
    draw_row(changes, i, i < shown_.size() ? shown_[i] : empty, i < rows.size() ? rows[i] : empty);
  shown_ = std::move(rows);
  if (changes.empty()) return "";
  return std::string(kSyncBegin).append(changes).append(kSyncEnd);
}

std::string LiveView::end() {
  std::string out;
  if (placement_ == Placement::full_screen) {
    out += kAlternateOff;
  } else if (!shown_.empty()) {
    move_to(out, shown_.size() - 1, 0);
    out += "\r\n";
  }
  shown_.clear();
  return out.append(kShowCursor);
}

LiveView::Row LiveView::cells_of(const Line& line) {
  Row row;
  for (const auto& span : line) {
    std::string_view rest = span.text;
    while (!rest.empty()) {
      const auto glyph = first_glyph(rest);
      rest.remove_prefix(glyph.bytes.size());
      if (glyph.width == 0) {
        if (!row.empty()) row.back().glyph += glyph.bytes;
        continue;
      }
      row.push_back({std::string(glyph.bytes), span.tone});
      if (glyph.width == 2) row.push_back({"", span.tone});
    }
  }
  while (!row.empty() && row.back().glyph == " ")
    row.pop_back();
  return row;
}

void LiveView::draw_row(std::string& out, std::size_t row, const Row& from, const Row& to) {
  const auto same = [&](std::size_t i) { return i < from.size() && from[i] == to[i]; };
  std::size_t i = 0;
  while (i < to.size()) {
    if (same(i)) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;  // behind the last changed cell of this run
    for (auto look = end; look < to.size() && look < end + kCheaperToWrite; ++look)
      if (!same(look)) end = look + 1;
    while (i > 0 && to[i].glyph.empty())
      --i;  // never begin in the middle of a wide character
    move_to(out, row, i);
    write_cells(out, to, i, end);
    i = end;
  }
  if (from.size() <= to.size()) return;
  move_to(out, row, to.size());
  out += kClearToEnd;
}

void LiveView::move_to(std::string& out, std::size_t row, std::size_t column) {
  if (row == row_ && column == column_) return;
  if (placement_ == Placement::full_screen) {
    out += "\x1b[" + std::to_string(row + 1) + ";" + std::to_string(column + 1) + "H";
  } else {
    if (row < row_) out += sequence(row_ - row, 'A');
    const auto existing = std::min(row, last_row_);
    if (existing > row_) out += sequence(existing - row_, 'B');
    for (; last_row_ < row; ++last_row_)
      out += "\r\n";  // scrolls when at the bottom
    out += sequence(column + 1, 'G');
  }
  row_ = row;
  column_ = column;
}

void LiveView::write_cells(std::string& out, const Row& row, std::size_t first, std::size_t last) {
  auto tone = Tone::plain;
  for (auto i = first; i < last; ++i) {
    if (colour_ && row[i].tone != tone && row[i].glyph != " ") {
      tone = row[i].tone;
      out += escape_of(tone);
    }
    out += row[i].glyph;
  }
  if (tone != Tone::plain) out += escape_of(Tone::plain);
  column_ = last;
}

}  // namespace plimsoll::cli
