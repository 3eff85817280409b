// table.cpp - column widths and what gives way.
#include "cli/table.hpp"

#include <algorithm>

namespace plimsoll::cli {
namespace {

constexpr std::size_t kGap = 2;  // blanks between columns

struct Slot {
  std::size_t column = 0;  // index in Table::columns
  std::size_t width = 0;
};

std::vector<Slot> natural_slots(const Table& table, bool headings) {
  std::vector<Slot> slots;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    auto width = headings ? display_width(table.columns[i].title) : 0;
    for (const auto& row : table.rows)
      width = std::max(width, display_width(row.at(i).text));
    slots.push_back({i, width});
  }
  return slots;
}

std::size_t total_width(const std::vector<Slot>& slots) {
  std::size_t total = slots.empty() ? 0 : (slots.size() - 1) * kGap;
  for (const auto& slot : slots)
    total += slot.width;
  return total;
}

// How much the columns that may be cut can give.
std::size_t spare_width(const Table& table, const std::vector<Slot>& slots) {
  std::size_t spare = 0;
  for (const auto& slot : slots) {
    const auto smallest = table.columns[slot.column].smallest;
    if (smallest > 0 && slot.width > smallest) spare += slot.width - smallest;
  }
  return spare;
}

bool drop_one(const Table& table, std::vector<Slot>& slots) {
  const auto order = [&](const Slot& slot) { return table.columns[slot.column].drop_order; };
  const auto victim =
      std::max_element(slots.begin(), slots.end(),
                       [&](const Slot& a, const Slot& b) { return order(a) < order(b); });
  if (victim == slots.end() || order(*victim) == 0) return false;
  slots.erase(victim);
  return true;
}

// Takes one column at a time from the widest that may shrink, so that names stay of like length.
void shrink_to(const Table& table, std::vector<Slot>& slots, std::size_t width) {
  while (total_width(slots) > width) {
    Slot* widest = nullptr;
    for (auto& slot : slots) {
      const auto smallest = table.columns[slot.column].smallest;
      const bool may = smallest > 0 && slot.width > smallest;
      if (may && (widest == nullptr || slot.width > widest->width)) widest = &slot;
    }
    if (widest == nullptr) return;
    --widest->width;
  }
}

std::vector<Slot> fitted_slots(const Table& table, const TableLook& look) {
  auto slots = natural_slots(table, look.headings);
  if (look.screen.width == 0) return slots;
  const auto width = look.screen.width > look.indent ? look.screen.width - look.indent : 1;
  while (total_width(slots) > width + spare_width(table, slots))
    if (!drop_one(table, slots)) break;
  shrink_to(table, slots, width);
  return slots;
}

std::string fitted(const std::string& text, const Column& column, const Slot& slot, bool utf8) {
  const auto cut = cut_middle(text, slot.width, utf8);
  return column.right ? pad_left(cut, slot.width) : pad_right(cut, slot.width);
}

}  // namespace

Lines render_table(const Table& table, const TableLook& look) {
  const auto slots = fitted_slots(table, look);
  Lines lines;
  const auto add = [&](const auto& cell_of) {
    Line line;
    if (look.indent > 0) line.push_back({std::string(look.indent, ' '), Tone::plain});
    for (const auto& slot : slots) {
      if (&slot != &slots.front()) line.push_back({std::string(kGap, ' '), Tone::plain});
      const Span cell = cell_of(slot.column);
      line.push_back(
          {fitted(cell.text, table.columns[slot.column], slot, look.screen.utf8), cell.tone});
    }
    lines.push_back(std::move(line));
  };
  if (look.headings) add([&](std::size_t i) { return Span{table.columns[i].title, Tone::bold}; });
  for (const auto& row : table.rows)
    add([&](std::size_t i) { return row.at(i); });
  return lines;
}

}  // namespace plimsoll::cli
