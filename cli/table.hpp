// table.hpp - rows under headings, fitted to a width: names lose their middle, then columns go.
// Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/styled.hpp"

namespace plimsoll::cli {

struct Column {
  std::string title;
  bool right = false;        // numbers align right
  std::size_t smallest = 0;  // > 0: may be cut in the middle down to this many columns
  int drop_order = 0;        // > 0: may be left out, the highest first
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Span>> rows;  // each as long as `columns`
};

struct TableLook {
  Screen screen;
  bool headings = true;
  std::size_t indent = 0;
};

[[nodiscard]] Lines render_table(const Table& table, const TableLook& look);

}  // namespace plimsoll::cli
