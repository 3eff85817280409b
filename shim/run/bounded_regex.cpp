// bounded_regex.cpp - see bounded_regex.hpp.
#include "shim/run/bounded_regex.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "schemas/text.hpp"

namespace plimsoll {

namespace {

Failure refuse(std::string_view pattern, const std::string& cause) {
  return fail(ErrorCode::usage, "regex " + quoted(pattern) + ": " + cause,
              "POSIX extended syntax, one group around the number: '([0-9]+)%'", "--tool");
}

bool is_digit(char byte) {
  return std::isdigit(static_cast<unsigned char>(byte)) != 0;
}

// The number that begins at `at`, and `at` behind it; -1 if there is none or it is absurd.
long read_number(std::string_view text, std::size_t& at) {
  if (at >= text.size() || !is_digit(text[at])) return -1;
  long value = 0;
  while (at < text.size() && is_digit(text[at]))
    value = std::min(value * 10 + (text[at++] - '0'), 99999L);
  return value;
}

// Repetitions {n,m} multiply when nested; the product over the whole pattern bounds every nesting.
bool repetitions_bounded(std::string_view pattern) {
  long product = 1;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] == '\\')
      ++at;
    else if (pattern[at] == '{') {
      const long least = read_number(pattern, ++at);
      if (least < 0) continue;
      long most = least;
      if (at < pattern.size() && pattern[at] == ',')
        most = std::max(read_number(pattern, ++at), least);
      product *= std::max(most, 1L);
      if (product > kMaxRepetitions) return false;
    }
  }
  return true;
}

// \d is what people write; POSIX has no such word. "" if there is a back reference.
std::string to_posix(std::string_view pattern) {
  std::string posix;
  bool in_set = false;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const char byte = pattern[at];
    const char next = at + 1 < pattern.size() ? pattern[at + 1] : '\0';
    if (byte == '\\' && next == 'd') {
      posix += in_set ? "0-9" : "[0-9]";
      ++at;
    } else if (byte == '\\' && is_digit(next) && !in_set) {
      return "";
    } else {
      posix.push_back(byte);
      if (byte == '\\' && next != '\0' && !in_set)
        posix.push_back(pattern[++at]);
      else if (byte == '[')
        in_set = true;
      else if (byte == ']')
        in_set = false;
    }
  }
  return posix;
}

std::string_view group_of(std::string_view text, const regmatch_t& match) {
  if (match.rm_so < 0) return {};
  return text.substr(static_cast<std::size_t>(match.rm_so),
                     static_cast<std::size_t>(match.rm_eo - match.rm_so));
}

}  // namespace

Result<BoundedRegex> BoundedRegex::compile(std::string_view pattern) {
  if (pattern.empty()) return refuse(pattern, "it is empty");
  if (pattern.size() > kMaxPatternBytes)
    return refuse(pattern, "longer than " + std::to_string(kMaxPatternBytes) + " bytes");
  if (pattern.find('\0') != std::string_view::npos) return refuse(pattern, "it holds a NUL byte");
  if (!repetitions_bounded(pattern))
    return refuse(pattern, "more than " + std::to_string(kMaxRepetitions) + " repetitions in all");
  const std::string posix = to_posix(pattern);
  if (posix.empty()) return refuse(pattern, "back references are not allowed");
  BoundedRegex regex;
  const int rc = regcomp(&regex.compiled_, posix.c_str(), REG_EXTENDED);
  if (rc != 0) {
    std::array<char, 128> text{};
    (void)regerror(rc, &regex.compiled_, text.data(), text.size());  // the size is not of interest
    return refuse(pattern, text.data());
  }
  regex.owned_ = true;
  if (regex.compiled_.re_nsub < 1) return refuse(pattern, "it has no group (…) around the number");
  return regex;
}

BoundedRegex::BoundedRegex(BoundedRegex&& other) noexcept
    : compiled_(other.compiled_), owned_(std::exchange(other.owned_, false)) {}

BoundedRegex& BoundedRegex::operator=(BoundedRegex&& other) noexcept {
  std::swap(compiled_, other.compiled_);
  std::swap(owned_, other.owned_);
  return *this;
}

BoundedRegex::~BoundedRegex() {
  if (owned_) regfree(&compiled_);
}

bool BoundedRegex::find(std::string_view text, Groups& groups) {
  text = text.substr(0, kMaxMatchedBytes);
  text_.assign(text);
  std::replace(text_.begin(), text_.end(), '\0', ' ');
  std::array<regmatch_t, 3> matches{};
  if (regexec(&compiled_, text_.c_str(), matches.size(), matches.data(), 0) != 0) return false;
  groups.first = group_of(text, matches[1]);
  groups.second = compiled_.re_nsub >= 2 ? group_of(text, matches[2]) : std::string_view{};
  return true;
}

}  // namespace plimsoll
