// yaml_text_test.cpp - YAML that every reader takes back as the same value.
#include "cli/yaml_text.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using nlohmann::json;
using plimsoll::cli::to_yaml;

TEST_CASE("objects, lists and scalars nest in block style") {
  const json value = {
      {"a", {{"b", 1}, {"c", json::array({1, "two", {{"d", true}, {"e", nullptr}}})}}},
      {"empty", json::object()},
      {"none", json::array()}};
  CHECK(to_yaml(value) ==
        "a:\n"
        "  b: 1\n"
        "  c:\n"
        "    - 1\n"
        "    - two\n"
        "    - d: true\n"
        "      e: null\n"
        "empty: {}\n"
        "none: []\n");
}

TEST_CASE("what a reader could take for something else is quoted") {
  for (const char* text :
       {"yes",        "No",  "ON",       "null", "~",     "",     "1",    "1.5", "0x1f",
        "2026-12-01", "- x", "a: b",     "a #b", "{x}",   "*x",   "&x",   "!x",  "%x",
        "@x",         " x",  "x ",       "=",    "<<",    ".inf", "TRUE", "y",   "N",
        "1_000",      "0o7", "12:30:45", "a\nb", "\"q\"", "\\"}) {
    const auto yaml = to_yaml(text);
    INFO(yaml);
    CHECK(yaml.front() == '"');
    CHECK(json::parse(yaml) == json(text));
  }
  CHECK(to_yaml("persistentvolumeclaims/shop/data-0") == "persistentvolumeclaims/shop/data-0\n");
  CHECK(to_yaml(json({{"yes", 1}})) == "\"yes\": 1\n");
}

TEST_CASE("numbers are kept to the last digit") {
  CHECK(to_yaml(std::int64_t{9223372036854775807}) == "9223372036854775807\n");
  CHECK(to_yaml(json(50.3)) == "50.3\n");
}
