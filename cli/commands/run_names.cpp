// run_names.cpp - see run_names.hpp.
#include "cli/commands/run_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>

#include "schemas/text_bounds.hpp"

namespace plimsoll::cli {

namespace {

constexpr std::size_t kMaxProgramBytes = 63;
constexpr std::size_t kMaxPathBytes =
    253;  // of an item's name, so that item and prefix stay in bounds

bool is_alnum(char byte) {
  return std::isalnum(static_cast<unsigned char>(byte)) != 0;
}

// Letters and digits stay (all lower-case if `lower`), runs of anything else become one '-', none
// at either end. "" becomes `instead`. The end is kept where it must be cut: it tells paths apart.
std::string dashed(std::string_view text, bool lower, std::size_t max_bytes,
                   std::string_view instead) {
  std::string name;
  for (const char byte : text) {
    const bool fits = is_alnum(byte) && static_cast<unsigned char>(byte) < 0x80;
    if (fits)
      name.push_back(lower ? static_cast<char>(std::tolower(byte)) : byte);
    else if (!name.empty() && name.back() != '-')
      name.push_back('-');
  }
  if (name.size() > max_bytes) name.erase(0, name.size() - max_bytes);
  const std::size_t first = name.find_first_not_of('-');
  if (first == std::string::npos) return std::string(instead);
  return name.substr(first, name.find_last_not_of('-') - first + 1);
}

}  // namespace

std::string name_stamp(WallTime now) {
  const std::time_t unix_s = std::chrono::floor<seconds>(now).time_since_epoch().count();
  std::tm utc{};
  (void)gmtime_r(&unix_s, &utc);  // fails for years beyond int only
  std::array<char, 32> text{};
  (void)std::strftime(text.data(), text.size(), "%Y%m%dt%H%M%Sz", &utc);
  return text.data();
}

std::string default_backup_name(std::string_view program, WallTime now) {
  return dashed(program, true, kMaxProgramBytes, "run") + "-" + name_stamp(now);
}

std::string default_item_name(std::string_view working_directory) {
  return "paths/" + dashed(working_directory, false, kMaxPathBytes, "root");
}

std::string next_backup_name(std::string_view backup, WallTime now) {
  const std::string suffix = "-" + name_stamp(now);
  std::string name(backup.substr(0, kMaxBackupBytes - suffix.size()));
  while (!name.empty() && !is_alnum(name.back()))
    name.pop_back();
  return name + suffix;
}

}  // namespace plimsoll::cli
