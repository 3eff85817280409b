// value_text.cpp - how single values are spelled in configuration.
#include "config/value_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "schemas/text.hpp"
#include "schemas/text_bounds.hpp"

namespace plimsoll {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMaxDigits = 10;  // days of that many digits still fit into 64 bits of ms
constexpr std::size_t kMaxPathBytes = 4095;
constexpr std::size_t kMaxGroupBytes = 32;
constexpr std::size_t kMaxNameBytes = 63;
constexpr std::size_t kMaxAddressBytes = 256;
constexpr std::uint64_t kMaxPort = 65535;

struct Unit {
  std::string_view word;
  milliseconds length;
};
constexpr std::array kUnits = {Unit{"d", std::chrono::days(1)}, Unit{"h", std::chrono::hours(1)},
                               Unit{"m", std::chrono::minutes(1)},
                               Unit{"s", std::chrono::seconds(1)}, Unit{"ms", milliseconds(1)}};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool all(std::string_view text, bool (*test)(char)) {
  return std::all_of(text.begin(), text.end(), test);
}
bool is_name_char(char c) {
  return is_letter(c) || is_digit(c) || c == '.' || c == '_' || c == '-';
}

std::string not_a_duration(std::string_view text) {
  return quoted(text) + " is no duration; write a number and a unit, like 500ms, 1s, 2m, 1h or 7d";
}

std::string path_problem(std::string_view text) {
  if (text.empty() || text.front() != '/')
    return quoted(text) + " is no absolute path; begin it with '/'";
  if (text.size() > kMaxPathBytes)
    return "the path has " + std::to_string(text.size()) + " bytes, at most " +
           std::to_string(kMaxPathBytes);
  return "";
}

std::string socket_path_problem(std::string_view text) {
  if (auto problem = path_problem(text); !problem.empty()) return problem;
  if (text.size() > kMaxSocketPathBytes)
    return "socket path " + quoted(text) + " has " + std::to_string(text.size()) +
           " bytes, at most " + std::to_string(kMaxSocketPathBytes) + "; use a shorter directory";
  return "";
}

std::string socket_or_none_problem(std::string_view text) {
  return text == "none" ? "" : socket_path_problem(text);
}

std::string node_problem(std::string_view text) {
  if (text.size() <= kMaxNodeBytes && all(text, is_name_char)) return "";
  return quoted(text) + " is no node name; letters, digits, '.', '_', '-', at most " +
         std::to_string(kMaxNodeBytes);
}

std::string name_problem(std::string_view text) {
  if (!text.empty() && text.size() <= kMaxNameBytes && all(text, is_name_char)) return "";
  return quoted(text) + " is no name; letters, digits, '.', '_', '-', 1 to " +
         std::to_string(kMaxNameBytes);
}

std::string group_or_empty_problem(std::string_view text) {
  if (text.size() <= kMaxGroupBytes && all(text, is_name_char)) return "";
  return quoted(text) + " is no group; write its name or number";
}

std::string group_problem(std::string_view text) {
  return text.empty() ? "a group is empty; write its name or number" : group_or_empty_problem(text);
}

std::string glob_problem(std::string_view text) {
  if (!text.empty() && text.size() <= kMaxItemBytes) return "";
  return "a pattern has " + std::to_string(text.size()) + " bytes, 1 to " +
         std::to_string(kMaxItemBytes) + " allowed";
}

bool is_loopback(std::string_view host) {
  if (host == "localhost" || host == "[::1]") return true;
  return host.substr(0, 4) == "127." && host.size() <= 15 &&
         all(host, [](char c) { return is_digit(c) || c == '.'; });
}

std::string listen_problem(std::string_view text) {
  const auto colon = text.rfind(':');
  const auto host = text.substr(0, colon);
  const auto port = colon == std::string_view::npos
                        ? Parsed<std::uint64_t>(tl::unexpected(std::string()))
                        : parse_number(text.substr(colon + 1));
  if (!port || *port == 0 || *port > kMaxPort)
    return quoted(text) + " is no address to listen at; write off or, say, 127.0.0.1:9750";
  if (!is_loopback(host))
    return quoted(text) + " is not on loopback; use 127.0.0.1, [::1] or localhost";
  return "";
}

std::string address_problem(std::string_view text) {
  if (text.size() <= kMaxAddressBytes && text.find(' ') == std::string_view::npos &&
      (text.substr(0, 6) == "unix:/" || text.rfind(':') + 1 > 1))
    return "";
  return quoted(text) + " is no address; write unix:/PATH or HOST:PORT";
}

// Words that YAML readers take for something other than text.
bool is_special_word(std::string_view value) {
  constexpr std::array<std::string_view, 10> kWords = {"null", "Null", "NULL", "true", "false",
                                                       "yes",  "no",   "on",   "y",    "n"};
  return std::find(kWords.begin(), kWords.end(), value) != kWords.end();
}

}  // namespace

Parsed<milliseconds> parse_duration(std::string_view text) {
  if (text == "0") return milliseconds(0);
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const auto digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  const auto word = text.substr(digits.size());
  const auto number = parse_number(digits);
  if (!number || digits.size() > kMaxDigits) return tl::unexpected(not_a_duration(text));
  if (word.empty())
    return tl::unexpected(quoted(text) + " has no unit; write, say, " + std::string(digits) +
                          "s (units: ms, s, m, h, d)");
  for (const auto& unit : kUnits)
    if (word == unit.word) return static_cast<milliseconds::rep>(*number) * unit.length;
  return tl::unexpected(not_a_duration(text));
}

std::string format_duration(milliseconds value) {
  for (const auto& unit : kUnits)
    if (value.count() != 0 && value.count() % unit.length.count() == 0)
      return std::to_string(value.count() / unit.length.count()) + std::string(unit.word);
  return "0";
}

Parsed<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_plain = !text.empty() && (text.size() == 1 || text.front() != '0');
  if (!is_plain || error != std::errc() || end != text.data() + text.size())
    return tl::unexpected(quoted(text) + " is no whole number; write it in digits only");
  return value;
}

const TextRule kPathText{"absolute path", path_problem};
const TextRule kPathOrOffText{"absolute path, or off", path_problem, "off"};
const TextRule kSocketPathText{"absolute path, at most 107 bytes", socket_path_problem};
const TextRule kSocketPathOrNoneText{"absolute path, at most 107 bytes, or none",
                                     socket_or_none_problem};
const TextRule kNodeText{"at most 253 of letters, digits, . _ -", node_problem};
const TextRule kNameText{"1 to 63 of letters, digits, . _ -", name_problem};
const TextRule kGroupText{"group name or number", group_problem};
const TextRule kGroupOrEmptyText{"group name or number", group_or_empty_problem};
const TextRule kGlobText{"pattern with * and ?, 1 to 640 bytes", glob_problem};
const TextRule kListenText{"off, or ADDRESS:PORT on loopback", listen_problem, "off"};
const TextRule kAddressText{"unix:/PATH or HOST:PORT", address_problem};

std::string yaml_text(std::string_view value) {
  const bool is_plain =
      !value.empty() && all(value, [](char c) { return is_name_char(c) || c == '/'; }) &&
      (value.front() == '/' || is_letter(value.front())) && !is_special_word(value);
  if (is_plain) return std::string(value);
  std::string text = "'";
  for (const char c : value)
    text += c == '\'' ? std::string("''") : std::string(1, c);
  return text + "'";
}

}  // namespace plimsoll
