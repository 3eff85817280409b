// strict_yaml.cpp - builds the bounded tree from yaml-cpp's events; no YAML::Node is ever made.
#include "config/strict_yaml.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <exception>
#include <map>
#include <sstream>
#include <utility>

#include "schemas/text.hpp"

namespace plimsoll {
namespace {

YamlPlace place_of(const YAML::Mark& mark) {
  return mark.is_null() ? YamlPlace{} : YamlPlace{mark.line + 1, mark.column + 1};
}

// Ends the parse at once; never leaves this file.
struct Refused {
  YamlFinding finding;
};

[[noreturn]] void refuse(YamlPlace place, std::string text) {
  throw Refused{{place, std::move(text)}};
}

bool is_control(unsigned char byte) {
  return byte < 0x20 || byte == 0x7f;
}

class TreeBuilder final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_extras(mark, "?", anchor);
    (void)add(node_at(mark, YamlNode::Kind::null));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(place_of(mark), "aliases (*name) are not allowed; write the value out");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_extras(mark, tag, anchor);
    if (std::any_of(value.begin(), value.end(),
                    [](char c) { return is_control(static_cast<unsigned char>(c)); }))
      refuse(place_of(mark), "a value has a control character or line break in it");
    auto node = node_at(mark, YamlNode::Kind::scalar);
    node.text = value;
    node.is_quoted = tag == "!";
    if (YamlNode* entry = take_key(node)) {
      entry->key = value;
      entry->key_place = node.place;
      return;
    }
    (void)add(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    refuse_extras(mark, tag, anchor);
    open(node_at(mark, YamlNode::Kind::list));
  }
  void OnSequenceEnd() override { open_.pop_back(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    refuse_extras(mark, tag, anchor);
    open(node_at(mark, YamlNode::Kind::map));
  }
  void OnMapEnd() override { open_.pop_back(); }

  [[nodiscard]] YamlNode& root() { return root_; }

 private:
  static YamlNode node_at(const YAML::Mark& mark, YamlNode::Kind kind) {
    YamlNode node;
    node.kind = kind;
    node.place = place_of(mark);
    return node;
  }

  // The tag is "?" or "" if none is written, "!" for a quoted scalar.
  static void refuse_extras(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != 0) refuse(place_of(mark), "anchors (&name) are not allowed; write the value out");
    if (!tag.empty() && tag != "?" && tag != "!")
      refuse(place_of(mark), "tags (!name) are not allowed; remove it");
  }

  void count(YamlPlace place) {
    if (++nodes_ > kMaxYamlNodes)
      refuse(place,
             "more than " + std::to_string(kMaxYamlNodes) + " values; make the file smaller");
  }

  [[nodiscard]] bool expects_key() const {
    return !open_.empty() && open_.back()->kind == YamlNode::Kind::map && !has_key_;
  }

  // The new entry if the open map waits for a key, else null. The pointer is good until the next
  // event.
  YamlNode* take_key(const YamlNode& scalar) {
    if (!expects_key()) return nullptr;
    count(scalar.place);
    has_key_ = true;
    open_.back()->nodes.emplace_back();
    return &open_.back()->nodes.back();
  }

  YamlNode* add(YamlNode node) {
    count(node.place);
    if (expects_key()) refuse(node.place, "a key must be a plain word");
    if (open_.empty()) return &(root_ = std::move(node));
    auto& nodes = open_.back()->nodes;
    if (open_.back()->kind == YamlNode::Kind::list) {
      nodes.push_back(std::move(node));
      return &nodes.back();
    }
    has_key_ = false;
    node.key = std::move(nodes.back().key);
    node.key_place = nodes.back().key_place;
    return &(nodes.back() = std::move(node));
  }

  // While a node is open its parent gets no new entries, so the pointers in open_ stay good.
  void open(YamlNode node) {
    if (open_.size() >= static_cast<std::size_t>(kMaxYamlDepth))
      refuse(node.place, "nested deeper than " + std::to_string(kMaxYamlDepth) + " levels");
    open_.push_back(add(std::move(node)));
  }

  YamlNode root_;
  std::vector<YamlNode*> open_;
  bool has_key_ = false;  // the open map's last entry waits for its value
  int nodes_ = 0;
};

// Before yaml-cpp sees a byte: size, control characters, UTF-8.
void check_bytes(std::string_view text) {
  if (text.size() > kMaxYamlBytes)
    refuse({}, "larger than " + std::to_string(kMaxYamlBytes / 1024) + " KiB");
  YamlPlace place{1, 1};
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\t' || c == '\n' || c == '\r' || !is_control(byte)) {
      place = c == '\n' ? YamlPlace{place.line + 1, 1} : YamlPlace{place.line, place.column + 1};
      continue;
    }
    refuse(place, "a control character (byte " + std::to_string(byte) + "); remove it");
  }
  if (!is_valid_utf8(text)) refuse({}, "not valid UTF-8");
}

void find_duplicates(const YamlNode& node, std::vector<YamlFinding>& findings) {
  std::map<std::string_view, YamlPlace> seen;
  for (const auto& entry : node.nodes) {
    if (node.kind == YamlNode::Kind::map) {
      const auto [first, is_new] = seen.emplace(entry.key, entry.key_place);
      if (!is_new && findings.size() <= kMaxFindings)
        findings.push_back({entry.key_place, "duplicate key " + quoted(entry.key) +
                                                 ", first on line " +
                                                 std::to_string(first->second.line)});
    }
    find_duplicates(entry, findings);
  }
}

YamlNode parse_tree(std::string_view text) {
  check_bytes(text);
  std::istringstream input{std::string(text)};
  YAML::Parser parser(input);
  TreeBuilder builder;
  if (!parser.HandleNextDocument(builder)) return {};
  TreeBuilder second;
  if (parser.HandleNextDocument(second))
    refuse(second.root().place, "a second document ('---'); only one is allowed");
  return std::move(builder.root());
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

tl::expected<YamlNode, std::vector<YamlFinding>> parse_strict_yaml(std::string_view text) {
  using Findings = std::vector<YamlFinding>;
  try {
    auto root = parse_tree(text);
    Findings findings;
    find_duplicates(root, findings);
    if (!findings.empty()) return tl::unexpected(std::move(findings));
    return root;
  } catch (const Refused& refused) {
    return tl::unexpected(Findings{refused.finding});
  } catch (const YAML::Exception& error) {
    return tl::unexpected(
        Findings{{place_of(error.mark), "not valid YAML: " + escape_text(error.msg)}});
  } catch (const std::exception& error) {
    return tl::unexpected(
        Findings{{{}, std::string("not valid YAML: ") + escape_text(error.what())}});
  }
}

std::string_view kind_word(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "nothing";
    case YamlNode::Kind::scalar:
      return "text";
    case YamlNode::Kind::list:
      return "a list";
    case YamlNode::Kind::map:
      return "a map";
  }
  return "nothing";
}

std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t kMaxWordBytes = 64;
  if (word.size() > kMaxWordBytes) return "";
  std::string nearest;
  std::size_t best = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    const auto distance = edit_distance(word, candidate);
    if (distance < best && distance < candidate.size()) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace plimsoll
