// strict_yaml.hpp - the small, bounded part of YAML that configuration may use, as a tree of texts.
// Refused: over 64 KiB, anchors, aliases, tags, control characters, bad UTF-8, depth over 16, more
// than 4,096 nodes, duplicate keys, keys that are no text, a second document. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace plimsoll {

inline constexpr std::size_t kMaxYamlBytes = std::size_t{64} * 1024;
inline constexpr int kMaxYamlDepth = 16;
inline constexpr int kMaxYamlNodes = 4096;
inline constexpr std::size_t kMaxFindings = 20;

// A place in the file, counted from 1; line 0 = the file as a whole.
struct YamlPlace {
  int line = 0;
  int column = 0;
  auto operator<=>(const YamlPlace&) const = default;
};

struct YamlFinding {
  YamlPlace place;
  std::string text;  // what, and what to do; escaped
  bool operator==(const YamlFinding&) const = default;
};

struct YamlNode {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  std::string text;             // of a scalar
  bool is_quoted = false;       // a quoted scalar is never a number or true/false
  YamlPlace place;              // of the value
  std::string key;              // of an entry of a map
  YamlPlace key_place;          // likewise
  std::vector<YamlNode> nodes;  // of a list or map, in file order
};

// The document's root; an empty document is a null node. Several duplicate keys are told at once.
[[nodiscard]] tl::expected<YamlNode, std::vector<YamlFinding>> parse_strict_yaml(
    std::string_view text);

// "a map", "a list", "text", "nothing": for messages.
[[nodiscard]] std::string_view kind_word(const YamlNode& node);

// The candidate nearest to `word` by edit distance (insert, delete, change, swap neighbours); "" if
// none is near enough to be meant.
[[nodiscard]] std::string nearest_word(std::string_view word,
                                       const std::vector<std::string>& candidates);

}  // namespace plimsoll
