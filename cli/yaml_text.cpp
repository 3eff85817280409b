// yaml_text.cpp - block style; a JSON string is a valid YAML double-quoted scalar, so quoting is
// JSON's.
#include "cli/yaml_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include <nlohmann/json.hpp>

namespace plimsoll::cli {
namespace {

using nlohmann::json;

// Words that some reader takes for null or a boolean.
constexpr std::array<std::string_view, 12> kMagic = {"null", "true", "false", "yes", "no", "on",
                                                     "off",  "y",    "n",     "~",   "",   "nan"};

bool is_magic(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::find(kMagic.begin(), kMagic.end(), lower) != kMagic.end();
}

// Letters first, then only characters that mean nothing to YAML: certainly a string, no number and
// no time.
bool is_plain(std::string_view text) {
  constexpr std::string_view kSafe = "-_./+@";
  if (is_magic(text) || std::isalpha(static_cast<unsigned char>(text[0])) == 0) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || kSafe.find(c) != kSafe.npos;
  });
}

std::string scalar(const json& value) {
  if (value.is_string() && is_plain(value.get_ref<const std::string&>()))
    return value.get<std::string>();
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

void append(std::string& out, const json& value, std::size_t indent, bool in_list);

void append_entry(std::string& out, const json& value, std::size_t indent, bool in_list) {
  if (value.is_structured() && !value.empty()) {
    if (!in_list) out += '\n';
    append(out, value, indent, in_list);
    return;
  }
  if (!in_list) out += ' ';
  out += scalar(value) + "\n";
}

// `in_list`: the first line goes on behind "- ".
void append(std::string& out, const json& value, std::size_t indent, bool in_list) {
  const std::string margin(indent, ' ');
  bool first = in_list;
  if (value.is_array()) {
    for (const auto& entry : value) {
      out += (first ? "" : margin) + "- ";
      first = false;
      append_entry(out, entry, indent + 2, true);
    }
    return;
  }
  for (const auto& [key, entry] : value.items()) {
    out += (first ? "" : margin) + scalar(key) + ":";
    first = false;
    append_entry(out, entry, indent + 2, false);
  }
}

}  // namespace

std::string to_yaml(const json& value) {
  if (!value.is_structured() || value.empty()) return scalar(value) + "\n";
  std::string out;
  append(out, value, 0, false);
  return out;
}

}  // namespace plimsoll::cli
