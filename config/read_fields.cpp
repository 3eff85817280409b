// read_fields.cpp - fills a configuration from a strict YAML tree.
#include "config/read_fields.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "schemas/text.hpp"

namespace plimsoll {
namespace {

// Enough to fill the bounded list that a person sees, also after sorting by line.
constexpr std::size_t kMaxKept = static_cast<std::size_t>(kMaxYamlNodes);
constexpr std::uint64_t kMaxUid = std::numeric_limits<uid_t>::max() - 1U;  // -1 means "no uid"

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words)
    text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

FieldReader::FieldReader(const YamlNode& root, uid_t own_uid) : own_uid_(own_uid) {
  const bool is_map = root.kind == YamlNode::Kind::map;
  if (!is_map && root.kind != YamlNode::Kind::null)
    add(root.place, "the file must be a map of keys, not " + std::string(kind_word(root)));
  frames_.push_back({is_map ? &root : nullptr, "", {}});
}

std::string FieldReader::path_of(std::string_view key) const {
  const auto& above = frames_.back().path;
  return above.empty() ? std::string(key) : above + "." + std::string(key);
}

void FieldReader::add(YamlPlace place, std::string text) {
  if (findings_.size() < kMaxKept) findings_.push_back({place, std::move(text)});
}

void FieldReader::wrong_kind(const YamlNode& node, std::string_view wanted) {
  add(node.place,
      "'" + path_ + "' must be " + std::string(wanted) + ", not " + std::string(kind_word(node)));
}

const YamlNode* FieldReader::find(std::string_view key) {
  auto& frame = frames_.back();
  frame.known.emplace_back(key);
  path_ = path_of(key);
  if (frame.node == nullptr) return nullptr;
  const auto& nodes = frame.node->nodes;
  const auto found = std::find_if(nodes.begin(), nodes.end(),
                                  [&](const YamlNode& node) { return node.key == key; });
  if (found == nodes.end()) return nullptr;
  places_[path_] = found->place;
  if (found->kind != YamlNode::Kind::null) return &*found;
  add(found->key_place, "'" + path_ + "' has no value; write one or remove the key");
  return nullptr;
}

const YamlNode* FieldReader::find_scalar(std::string_view key, std::string_view wanted) {
  const auto* node = find(key);
  if (node == nullptr || node->kind == YamlNode::Kind::scalar) return node;
  wrong_kind(*node, wanted);
  return nullptr;
}

const YamlNode* FieldReader::find_list(std::string_view key, std::string_view wanted) {
  const auto* node = find(key);
  if (node == nullptr) return nullptr;
  if (node->kind != YamlNode::Kind::list) {
    wrong_kind(*node, wanted);
    return nullptr;
  }
  if (node->nodes.size() <= kMaxListItems) return node;
  add(node->place, "'" + path_ + "' has " + std::to_string(node->nodes.size()) +
                       " entries, at most " + std::to_string(kMaxListItems));
  return nullptr;
}

void FieldReader::text(std::string_view key, std::string& value, const TextRule& rule) {
  const auto* node = find_scalar(key, rule.range);
  if (node == nullptr) return;
  if (!rule.off_word.empty() && node->text == rule.off_word) {
    value.clear();
    return;
  }
  if (auto problem = rule.problem(node->text); !problem.empty())
    return add(node->place, "'" + path_ + "': " + problem);
  value = node->text;
}

void FieldReader::choice(std::string_view key, std::string& value, const Words& words) {
  const std::vector<std::string> allowed(words.begin(), words.end());
  const auto* node = find_scalar(key, "one of " + joined(allowed));
  if (node == nullptr) return;
  if (std::find(words.begin(), words.end(), node->text) != words.end()) {
    value = node->text;
    return;
  }
  const auto near = nearest_word(node->text, allowed);
  add(node->place, "'" + path_ + "' is " + quoted(node->text) + "; allowed: " + joined(allowed) +
                       (near.empty() ? "" : " (did you mean '" + near + "'?)"));
}

void FieldReader::duration(std::string_view key, milliseconds& value, const DurationRange& range) {
  const auto* node = find_scalar(key, "a duration like 1s, " + range_text(range));
  if (node == nullptr) return;
  const auto parsed = parse_duration(node->text);
  if (!parsed) return add(node->place, "'" + path_ + "': " + parsed.error());
  const bool is_zero = parsed->count() == 0 && !range.zero.empty();
  if (!is_zero && (*parsed < range.min || *parsed > range.max))
    return add(node->place, "'" + path_ + "' is " + format_duration(*parsed) +
                                "; allowed: " + range_text(range));
  value = *parsed;
}

void FieldReader::number(std::string_view key, std::uint32_t& value, const NumberRange& range) {
  const auto* node = find_scalar(key, "a whole number, " + range_text(range));
  if (node == nullptr) return;
  if (node->is_quoted)
    return add(node->place, "'" + path_ + "' must be a whole number without quotes");
  const auto parsed = parse_number(node->text);
  if (!parsed) return add(node->place, "'" + path_ + "': " + parsed.error());
  if (*parsed < range.min || *parsed > range.max)
    return add(node->place,
               "'" + path_ + "' is " + std::to_string(*parsed) + "; allowed: " + range_text(range));
  value = static_cast<std::uint32_t>(*parsed);
}

void FieldReader::flag(std::string_view key, bool& value) {
  const auto* node = find_scalar(key, "true or false");
  if (node == nullptr) return;
  if (node->is_quoted || (node->text != "true" && node->text != "false"))
    return add(node->place, "'" + path_ + "' is " + quoted(node->text) +
                                "; write true or false, without quotes");
  value = node->text == "true";
}

void FieldReader::texts(std::string_view key, std::vector<std::string>& values,
                        const TextRule& rule) {
  const auto* list = find_list(key, "a list of " + std::string(rule.range));
  if (list == nullptr) return;
  values.clear();
  for (const auto& node : list->nodes) {
    if (node.kind != YamlNode::Kind::scalar) {
      wrong_kind(node, "a list of " + std::string(rule.range));
      continue;
    }
    if (auto problem = rule.problem(node.text); !problem.empty())
      add(node.place, "'" + path_ + "': " + problem);
    else
      values.push_back(node.text);
  }
}

void FieldReader::uids(std::string_view key, std::vector<uid_t>& values) {
  const auto* list = find_list(key, "a list of user numbers");
  if (list == nullptr) return;
  values.clear();
  for (const auto& node : list->nodes) {
    const bool is_own = node.kind == YamlNode::Kind::scalar && node.text == "own";
    const auto number = node.is_quoted
                            ? Parsed<std::uint64_t>(tl::unexpected(std::string("it is quoted")))
                            : parse_number(node.text);
    if (!is_own && (node.kind != YamlNode::Kind::scalar || !number || *number > kMaxUid)) {
      add(node.place, "'" + path_ + "': " + quoted(node.text) +
                          " is no user number; write one, 0 to " + std::to_string(kMaxUid) +
                          ", or own");
      continue;
    }
    const auto uid = is_own ? own_uid_ : static_cast<uid_t>(*number);
    if (std::find(values.begin(), values.end(), uid) == values.end()) values.push_back(uid);
  }
}

void FieldReader::open_map(std::string_view key) {
  const auto* node = find(key);
  if (node != nullptr && node->kind != YamlNode::Kind::map) {
    wrong_kind(*node, "a map of keys");
    node = nullptr;
  }
  frames_.push_back({node, path_, {}});
}

std::optional<std::size_t> FieldReader::open_list(std::string_view key, std::size_t) {
  const auto* node = find_list(key, "a list");
  if (node == nullptr) return std::nullopt;
  frames_.push_back({node, path_, {}});
  return node->nodes.size();
}

void FieldReader::open_item(std::size_t index) {
  const auto* node = &frames_.back().node->nodes[index];
  path_ = frames_.back().path + "[" + std::to_string(index) + "]";
  places_[path_] = node->place;
  if (node->kind != YamlNode::Kind::map) {
    wrong_kind(*node, "a map of keys");
    node = nullptr;
  }
  frames_.push_back({node, path_, {}});
}

void FieldReader::close() {
  const auto frame = std::move(frames_.back());
  frames_.pop_back();
  if (frame.node != nullptr && frame.node->kind == YamlNode::Kind::map) report_unknown(frame);
}

void FieldReader::report_unknown(const Frame& frame) {
  for (const auto& node : frame.node->nodes) {
    if (std::find(frame.known.begin(), frame.known.end(), node.key) != frame.known.end()) continue;
    const auto near = nearest_word(node.key, frame.known);
    add(node.key_place, "unknown key " + quoted(node.key) +
                            (near.empty() ? "; known here: " + joined(frame.known)
                                          : " (did you mean '" + near + "'?)"));
  }
}

}  // namespace plimsoll
