// strict_yaml_test.cpp - the YAML subset: what it gives, what it refuses, and that bombs do no
// harm.
#include "config/strict_yaml.hpp"

#include <rapidcheck.h>

#include <catch2/catch.hpp>

using namespace plimsoll;

namespace {

YamlFinding first_finding(const std::string& text) {
  const auto parsed = parse_strict_yaml(text);
  REQUIRE_FALSE(parsed.has_value());
  REQUIRE_FALSE(parsed.error().empty());
  return parsed.error().front();
}

std::string repeated(const std::string& text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i)
    all += text;
  return all;
}

std::size_t count_nodes(const YamlNode& node) {
  std::size_t count = 1;
  for (const auto& below : node.nodes)
    count += count_nodes(below);
  return count;
}

}  // namespace

TEST_CASE("a document becomes a tree with the place of each key and value") {
  const auto root = parse_strict_yaml("a: 1\nb:\n  - x\n  - c: 'q'\n    d: {e: ~}\n");
  REQUIRE(root.has_value());
  REQUIRE(root->kind == YamlNode::Kind::map);
  REQUIRE(root->nodes.size() == 2);
  const auto& b = root->nodes[1];
  CHECK(b.key == "b");
  CHECK(b.key_place == YamlPlace{2, 1});
  REQUIRE(b.kind == YamlNode::Kind::list);
  REQUIRE(b.nodes.size() == 2);
  CHECK(b.nodes[0].text == "x");
  CHECK(b.nodes[0].place == YamlPlace{3, 5});
  const auto& item = b.nodes[1];
  REQUIRE(item.nodes.size() == 2);
  CHECK(item.nodes[0].text == "q");
  CHECK(item.nodes[0].is_quoted);
  CHECK(item.nodes[1].nodes[0].key == "e");
  CHECK(item.nodes[1].nodes[0].kind == YamlNode::Kind::null);
}

TEST_CASE("an empty document and one of comments only are null") {
  for (const std::string text : {"", "\n\n", "# nothing\n", "---\n", "--- # x\n...\n"}) {
    const auto root = parse_strict_yaml(text);
    REQUIRE(root.has_value());
    CHECK(root->kind == YamlNode::Kind::null);
  }
}

TEST_CASE("what configuration does not need is refused with its place") {
  struct Case {
    std::string text;
    YamlPlace place;
    std::string part;
  };
  const std::vector<Case> cases = {
      {"a: &x 1\n", {1, 4}, "anchors"},
      {"a: 1\nb: *x\n", {}, ""},
      {"a: &x [*x]\n", {1, 4}, "anchors"},
      {"a: !!str 1\n", {1, 4}, "tags"},
      {"a: !include f\n", {1, 4}, "tags"},
      {"a: !<tag:x> {}\n", {1, 4}, "tags"},
      {"a: 1\nb: 2\na: 3\n", {3, 1}, "duplicate key 'a', first on line 1"},
      {"s: {k: 1, k: 2}\n", {1, 11}, "duplicate key 'k'"},
      {"[a]: 1\n", {1, 1}, "a key must be a plain word"},
      {"? {a: b}\n: 1\n", {1, 3}, "a key must be a plain word"},
      {"a: 1\n---\nb: 2\n", {3, 1}, "a second document"},
      {"a: \"x\\u0007\"\n", {1, 4}, "control character"},
      {"a: |\n  x\n  y\n", {1, 4}, "line break"},
      {"a: x\n y: z\n", {2, 3}, "not valid YAML"},
      {"a: [1\n", {}, "not valid YAML"},
      {"a: 1\n\tb: 2\n", {}, "not valid YAML"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const auto finding = first_finding(c.text);
    CAPTURE(finding.text, finding.place.line, finding.place.column);
    CHECK(finding.text.find(c.part) != std::string::npos);
    if (c.place.line != 0) CHECK(finding.place == c.place);
  }
}

TEST_CASE("bytes are checked before the parser sees them") {
  CHECK(first_finding(std::string("a: x\0y\n", 7)).place == YamlPlace{1, 5});
  CHECK(first_finding("a: 1\nb: \x1b[31m\n").place == YamlPlace{2, 4});
  CHECK(first_finding("a: 1\nb: \x7f\n").place == YamlPlace{2, 4});
  CHECK(first_finding("a: \xff\xfe\n").text == "not valid UTF-8");
  CHECK(first_finding("a: " + std::string(kMaxYamlBytes, 'x')).text == "larger than 64 KiB");
}

TEST_CASE("several duplicate keys are told at once") {
  const auto parsed = parse_strict_yaml("a: 1\nb: 2\nb: 3\na: 4\n");
  REQUIRE_FALSE(parsed.has_value());
  CHECK(parsed.error().size() == 2);
}

TEST_CASE("depth and number of values are bounded, and both bounds can be reached") {
  const auto nested = [](int depth) { return repeated("[", depth) + repeated("]", depth); };
  CHECK(parse_strict_yaml(nested(kMaxYamlDepth)).has_value());
  CHECK(first_finding(nested(kMaxYamlDepth + 1)).text == "nested deeper than 16 levels");
  const auto list = [](int size) { return "[" + repeated("x,", size) + "]"; };
  CHECK(parse_strict_yaml(list(kMaxYamlNodes - 1)).has_value());
  CHECK(first_finding(list(kMaxYamlNodes)).text.find("more than 4096 values") == 0);
}

TEST_CASE("files made to hurt a YAML parser are refused") {
  const std::size_t most = kMaxYamlBytes;
  std::string laughs = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    const auto name = std::to_string(i), below = "*a" + std::to_string(i - 1);
    laughs += "a" + name + ": &a" + name + " [" + repeated(below + ",", 9) + below + "]\n";
  }
  const std::vector<std::string> bombs = {
      laughs,
      "a: &a [*a]\n",
      "&a a: *a\n",
      repeated("[", most),
      repeated("{", most),
      repeated("- ", most / 2),
      repeated("? ", most / 2),
      repeated("{a: ", most / 4),
      repeated("[{", most / 2),
      repeated("a: ", most / 3),
      repeated("!2", most / 2),
      repeated("!", most),
      repeated("&a ", most / 3),
      repeated("k: 1\n", most / 5),
      repeated("- x\n", most / 4),
      repeated("\"", most - 1),
      repeated("'", most - 1),
      repeated(":\n", most / 2),
      repeated("%TAG ! x\n", most / 9),
      repeated("|\n", most / 2),
      "a: " + repeated("\n ", most / 2 - 3) + ":",
      "<<: {a: 1}\n<<: {b: 2}\n",
  };
  for (std::size_t i = 0; i < bombs.size(); ++i) {
    CAPTURE(i);
    CHECK_FALSE(parse_strict_yaml(bombs[i]).has_value());
  }
}

TEST_CASE("any bytes give a bounded tree or a finding, never a crash") {
  const bool held = rc::check("random YAML-like text", [] {
    const auto piece = rc::gen::element<std::string>(
        "a", ": ", "\n", "  ", "- ", "[", "]", "{", "}", ",", "'", "\"", "#", "&", "*", "!", "|",
        ">", "? ", "---\n", "~", "\t", "%", "\xc3\xa9", "\xff");
    const auto pieces = *rc::gen::container<std::vector<std::string>>(piece);
    std::string text;
    for (const auto& part : pieces)
      text += part;
    const auto parsed = parse_strict_yaml(text);
    if (parsed)
      RC_ASSERT(count_nodes(*parsed) <= static_cast<std::size_t>(kMaxYamlNodes) + 1);
    else
      RC_ASSERT(!parsed.error().empty());
  });
  CHECK(held);
}

TEST_CASE("the nearest word is one that was probably meant") {
  const std::vector<std::string> words = {"sweep", "socket", "limits", "lostAfter"};
  CHECK(nearest_word("swep", words) == "sweep");
  CHECK(nearest_word("sewep", words) == "sweep");
  CHECK(nearest_word("lostafter", words) == "lostAfter");
  CHECK(nearest_word("sockets", words) == "socket");
  CHECK(nearest_word("database", words).empty());
  CHECK(nearest_word("", words).empty());
  CHECK(nearest_word(std::string(10000, 'x'), words).empty());
}
