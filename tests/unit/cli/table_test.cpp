// table_test.cpp - what gives way when the terminal is narrow.
#include "cli/table.hpp"

#include <catch2/catch.hpp>

#include "rows.hpp"

using namespace plimsoll::cli;

namespace {

Table sample() {
  Table table;
  table.columns = {{"NAME", false, 8, 0}, {"N", true}, {"NOTE", false, 0, 1}};
  table.rows = {{{"a-rather-long-name-0"}, {"1"}, {"first"}}, {{"b"}, {"22"}, {"second"}}};
  return table;
}

TableLook look(std::size_t width) {
  return {{width, 0, false, false}, true, 0};
}

}  // namespace

TEST_CASE("a pipe gets everything") {
  CHECK(text_of(render_table(sample(), look(0))) ==
        "NAME                   N  NOTE\n"
        "a-rather-long-name-0   1  first\n"
        "b                     22  second\n");
}

TEST_CASE("names lose their middle first, then columns go") {
  CHECK(text_of(render_table(sample(), look(24))) ==
        "NAME           N  NOTE\n"
        "a-rat~name-0   1  first\n"
        "b             22  second\n");
  CHECK(text_of(render_table(sample(), look(14))) ==
        "NAME         N\n"
        "a-ra~ame-0   1\n"
        "b           22\n");
}

TEST_CASE("headings can be left out and lines indented") {
  auto plain = look(0);
  plain.headings = false;
  plain.indent = 2;
  CHECK(text_of(render_table(sample(), plain)).starts_with("  a-rather-long-name-0   1  first\n"));
}
