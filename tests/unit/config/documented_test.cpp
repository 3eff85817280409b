// documented_test.cpp - the example files and docs/configuration.md say what the loader does.
#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "config/load.hpp"
#include "config/strict_yaml.hpp"
#include "tests/unit/config/temp_dir.hpp"

using namespace plimsoll;
using test::plain_environment;
using test::read_text;

namespace {

const std::string kRoot = PLIMSOLL_SOURCE_DIR;

// Leaf keys of the tree as the loader spells them; items of lists of maps are "name[].key".
void collect_keys(const YamlNode& node, const std::string& above, std::set<std::string>& keys) {
  for (const auto& entry : node.nodes) {
    const auto path = node.kind == YamlNode::Kind::map ? above + entry.key : above;
    const bool has_maps = entry.kind == YamlNode::Kind::list && !entry.nodes.empty() &&
                          entry.nodes[0].kind == YamlNode::Kind::map;
    if (has_maps) {
      keys.insert(path);
      for (const auto& item : entry.nodes)
        collect_keys(item, path + "[].", keys);
    } else if (entry.kind == YamlNode::Kind::map) {
      collect_keys(entry, path + ".", keys);
    } else {
      keys.insert(path);
    }
  }
}

std::set<std::string> keys_of_file(const std::string& text) {
  const auto root = parse_strict_yaml(text);
  REQUIRE(root.has_value());
  std::set<std::string> keys;
  collect_keys(*root, "", keys);
  return keys;
}

std::set<std::string> paths_of(const std::vector<KnownKey>& keys) {
  std::set<std::string> paths;
  for (const auto& key : keys)
    paths.insert(key.path);
  return paths;
}

// Rows "| `key` | `default` | range | effect |" below the heading, by key.
std::vector<std::vector<std::string>> table_below(const std::string& heading) {
  std::istringstream lines(read_text(kRoot + "/docs/configuration.md"));
  std::vector<std::vector<std::string>> rows;
  std::string line;
  bool is_inside = false;
  while (std::getline(lines, line)) {
    if (line.rfind("## ", 0) == 0) is_inside = line == heading;
    if (!is_inside || line.rfind("| `", 0) != 0) continue;
    std::vector<std::string> cells;
    std::istringstream cut(line.substr(1));
    for (std::string cell; std::getline(cut, cell, '|');)
      cells.push_back(cell.size() > 2 ? cell.substr(1, cell.size() - 2) : "");
    rows.push_back(cells);
  }
  return rows;
}

void check_table(const std::string& heading, const std::vector<KnownKey>& keys) {
  const auto rows = table_below(heading);
  REQUIRE(rows.size() == keys.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(heading, keys[i].path);
    REQUIRE(rows[i].size() >= 4);
    CHECK(rows[i][0] == "`" + keys[i].path + "`");
    CHECK(rows[i][1] == "`" + keys[i].default_text + "`");
    CHECK(rows[i][2] == keys[i].range);
    CHECK(rows[i][3].size() > 10);
  }
}

// Comments as running text, so that a range may be broken over two lines.
std::string comments_of(const std::string& file) {
  std::istringstream words(read_text(kRoot + "/config/" + file));
  std::string text;
  for (std::string word; words >> word;)
    if (word != "#") text += word + " ";
  return text;
}

void check_ranges(const std::string& file, const std::vector<KnownKey>& keys) {
  const auto text = comments_of(file);
  for (const auto& key : keys) {
    const bool has_bounds = key.range.find(" to ") != std::string::npos;
    const bool is_number_or_time =
        key.range.find("of ") == std::string::npos && key.range.find("with ") == std::string::npos;
    CAPTURE(file, key.path, key.range);
    if (has_bounds && is_number_or_time) CHECK(text.find(key.range) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("agent.yaml has every key with its default and loads to the defaults") {
  const auto text = read_text(kRoot + "/config/agent.yaml");
  CHECK(keys_of_file(text) == paths_of(agent_keys()));
  const auto env = plain_environment();
  const auto config = parse_agent_config({"agent.yaml", text}, {}, env);
  REQUIRE(config.has_value());
  CHECK(*config == *load_agent_config({}, env));
}

TEST_CASE("controller.yaml has every key with its default and loads to the defaults") {
  const auto text = read_text(kRoot + "/config/controller.yaml");
  auto expected = paths_of(controller_keys());
  for (const auto* key : {"name", "address", "timeout", "inFlight"}) {
    CHECK(expected.erase("trackers[]." + std::string(key)) == 1);
    CHECK(text.find(std::string(" ") + key + ": ") != std::string::npos);
  }
  CHECK(keys_of_file(text) == expected);
  auto env = plain_environment();
  const auto root = parse_controller_config({"controller.yaml", text}, {}, env);
  REQUIRE(root.has_value());
  CHECK(*root == *load_controller_config({}, env));
}

TEST_CASE("the example of a tracker in controller.yaml loads and has the documented defaults") {
  std::istringstream lines(read_text(kRoot + "/config/controller.yaml"));
  std::string text = "trackers:\n";
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("#   ", 0) == 0) text += line.substr(1) + "\n";
  const auto config = parse_controller_config({"example", text}, {}, plain_environment());
  REQUIRE(config.has_value());
  REQUIRE(config->trackers.size() == 1);
  CHECK(config->trackers[0].timeout == TrackerConfig{}.timeout);
  CHECK(config->trackers[0].in_flight == TrackerConfig{}.in_flight);
}

TEST_CASE("the example files tell the loader's ranges") {
  CHECK_FALSE(agent_keys().empty());
  check_ranges("agent.yaml", agent_keys());
  check_ranges("controller.yaml", controller_keys());
}

TEST_CASE("docs/configuration.md has every key with its default and range, in file order") {
  check_table("## agent.yaml", agent_keys());
  check_table("## controller.yaml", controller_keys());
}
