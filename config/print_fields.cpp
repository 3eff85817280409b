// print_fields.cpp - a configuration as YAML text, and the list of all keys.
#include "config/print_fields.hpp"

namespace plimsoll {
namespace {

constexpr std::size_t kIndent = 2;

template <typename T, typename Spell>
std::string flow_list(const std::vector<T>& values, Spell spell) {
  std::string text;
  for (const auto& value : values)
    text += (text.empty() ? "" : ", ") + spell(value);
  return "[" + text + "]";
}

std::string joined(const Words& words) {
  std::string text;
  for (const auto word : words)
    text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

}  // namespace

void FieldText::text(std::string_view key, std::string& value, const TextRule& rule) {
  const bool is_off = value.empty() && !rule.off_word.empty();
  leaf(key, is_off ? std::string(rule.off_word) : yaml_text(value), std::string(rule.range));
}

void FieldText::choice(std::string_view key, std::string& value, const Words& words) {
  leaf(key, value, joined(words));
}

void FieldText::duration(std::string_view key, milliseconds& value, const DurationRange& range) {
  leaf(key, format_duration(value), range_text(range));
}

void FieldText::number(std::string_view key, std::uint32_t& value, const NumberRange& range) {
  leaf(key, std::to_string(value), range_text(range));
}

void FieldText::flag(std::string_view key, bool& value) {
  leaf(key, value ? "true" : "false", "true, false");
}

void FieldText::texts(std::string_view key, std::vector<std::string>& values,
                      const TextRule& rule) {
  leaf(key, flow_list(values, yaml_text), "list: " + std::string(rule.range));
}

void FieldText::uids(std::string_view key, std::vector<uid_t>& values) {
  const auto spell = [](uid_t uid) { return uid == kOwnUid ? "own" : std::to_string(uid); };
  leaf(key, flow_list(values, spell), "list: user numbers, or own");
}

std::string FieldPrinter::indent() {
  auto text = std::string(static_cast<std::size_t>(depth_) * kIndent, ' ');
  if (begins_item_) text.replace(text.size() - kIndent, kIndent, "- ");
  begins_item_ = false;
  return text;
}

void FieldPrinter::leaf(std::string_view key, const std::string& value, const std::string&) {
  yaml_ += indent() + std::string(key) + ": " + value + "\n";
}

void FieldPrinter::open_map(std::string_view key) {
  yaml_ += indent() + std::string(key) + ":\n";
  ++depth_;
}

std::optional<std::size_t> FieldPrinter::open_list(std::string_view key, std::size_t size) {
  if (size == 0) {
    leaf(key, "[]", "");
    return std::nullopt;
  }
  open_map(key);
  return size;
}

void FieldPrinter::open_item(std::size_t) {
  ++depth_;
  begins_item_ = true;
}

void FieldLister::leaf(std::string_view key, const std::string& value, const std::string& range) {
  keys_.push_back({above_.back() + std::string(key), value, range});
}

void FieldLister::open_map(std::string_view key) {
  above_.push_back(above_.back() + std::string(key) + ".");
}

std::optional<std::size_t> FieldLister::open_list(std::string_view key, std::size_t size) {
  leaf(key, size == 0 ? "[]" : "one entry", "list, at most " + std::to_string(kMaxListItems));
  above_.push_back(above_.back() + std::string(key) + "[].");
  return 1;
}

void FieldLister::open_item(std::size_t) {
  above_.push_back(above_.back());
}

}  // namespace plimsoll
