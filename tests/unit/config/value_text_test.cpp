// value_text_test.cpp - how single values are spelled.
#include "config/value_text.hpp"

#include <rapidcheck.h>

#include <catch2/catch.hpp>

using namespace plimsoll;
using namespace std::chrono_literals;

TEST_CASE("durations are a number and a unit") {
  CHECK(parse_duration("500ms") == 500ms);
  CHECK(parse_duration("1s") == 1s);
  CHECK(parse_duration("2m") == 2min);
  CHECK(parse_duration("1h") == 1h);
  CHECK(parse_duration("90d") == std::chrono::days(90));
  CHECK(parse_duration("0") == 0ms);
  CHECK(parse_duration("9999999999d").has_value());
}

TEST_CASE("what is no duration is refused with a hint") {
  for (const auto* text : {"", "s", "1.5s", "-1s", "+1s", " 1s", "1 s", "1sec", "1M", "01s", "1s1s",
                           "ms", "99999999999d", "18446744073709551617s", "0x1s", "1e3s"}) {
    CAPTURE(text);
    const auto parsed = parse_duration(text);
    REQUIRE_FALSE(parsed.has_value());
    CHECK(parsed.error().find("write a number and a unit") != std::string::npos);
  }
  CHECK(parse_duration("30").error() ==
        "'30' has no unit; write, say, 30s (units: ms, s, m, h, d)");
}

TEST_CASE("a printed duration reads back as the same") {
  CHECK(format_duration(0ms) == "0");
  CHECK(format_duration(1500ms) == "1500ms");
  CHECK(format_duration(120s) == "2m");
  CHECK(format_duration(24h) == "1d");
  CHECK(rc::check("durations round trip", [](std::uint32_t ms) {
    const auto value = std::chrono::milliseconds(ms);
    RC_ASSERT(parse_duration(format_duration(value)) == value);
  }));
}

TEST_CASE("whole numbers are digits and nothing else") {
  CHECK(parse_number("0") == 0U);
  CHECK(parse_number("1024") == 1024U);
  for (const auto* text :
       {"", "08", "-1", "+1", "1_000", "0x10", "1.0", "99999999999999999999", "1 "})
    CHECK_FALSE(parse_number(text).has_value());
}

TEST_CASE("text rules accept what they say and refuse the rest") {
  struct Case {
    const TextRule& rule;
    std::string good;
    std::string bad;
  };
  const std::vector<Case> cases = {
      {kPathText, "/run/plimsoll", "run/plimsoll"},
      {kPathText, "/" + std::string(4094, 'x'), "/" + std::string(4095, 'x')},
      {kSocketPathText, "/" + std::string(106, 'x'), "/" + std::string(107, 'x')},
      {kSocketPathOrNoneText, "none", "off"},
      {kNodeText, "Node_1.example-x", "node 1"},
      {kNodeText, "", "n/1"},
      {kNameText, "default", ""},
      {kGroupText, "1000", ""},
      {kGroupOrEmptyText, "", "a group"},
      {kGlobText, "shop-*", ""},
      {kListenText, "127.0.0.1:9750", "0.0.0.0:9750"},
      {kListenText, "[::1]:1", "[::]:1"},
      {kListenText, "localhost:65535", "localhost:65536"},
      {kListenText, "127.8.9.1:80", "127.0.0.1"},
      {kListenText, "localhost:1", "localhost:0"},
      {kListenText, "localhost:1", "127.evil.example:80"},
      {kAddressText, "unix:/run/t.sock", "t.sock"},
      {kAddressText, "host:99", ":99"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.rule.range, c.good, c.bad);
    CHECK(c.rule.problem(c.good).empty());
    CHECK_FALSE(c.rule.problem(c.bad).empty());
  }
}

TEST_CASE("a path one byte too long for a socket is named with its length") {
  const auto problem = kSocketPathText.problem("/" + std::string(107, 'x'));
  CHECK(problem.find("has 108 bytes, at most 107") != std::string::npos);
}

TEST_CASE("text is quoted for YAML only where it must be") {
  CHECK(yaml_text("/run/x.sock") == "/run/x.sock");
  CHECK(yaml_text("default") == "default");
  CHECK(yaml_text("") == "''");
  CHECK(yaml_text("*") == "'*'");
  CHECK(yaml_text("it's") == "'it''s'");
  CHECK(yaml_text("null") == "'null'");
  CHECK(yaml_text("12") == "'12'");
}
