// segment_policy.cpp - the rules of a trust domain.
#include "agent/io/segment_policy.hpp"

#include <grp.h>
#include <pwd.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "schemas/text.hpp"

namespace plimsoll {
namespace {

constexpr int kMaxGroupsOfUser = 256;

bool any_fits(const std::vector<std::string>& globs, std::string_view text) {
  return std::any_of(globs.begin(), globs.end(),
                     [text](const std::string& glob) { return glob_fits(glob, text); });
}

bool is_member(uid_t uid, const std::vector<gid_t>& wanted) {
  std::array<char, 4096> storage{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(uid, &entry, storage.data(), storage.size(), &found) != 0 || !found)
    return false;
  std::array<gid_t, kMaxGroupsOfUser> groups{};
  int count = kMaxGroupsOfUser;
  if (::getgrouplist(entry.pw_name, entry.pw_gid, groups.data(), &count) < 0)
    count = kMaxGroupsOfUser;
  return std::any_of(groups.begin(), groups.begin() + count, [&wanted](gid_t group) {
    return std::find(wanted.begin(), wanted.end(), group) != wanted.end();
  });
}

}  // namespace

// Iterative, with one point to come back to: linear for a text, quadratic at worst, never deep.
bool glob_fits(std::string_view glob, std::string_view text) {
  std::size_t g = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_text = 0;
  while (t < text.size()) {
    if (g < glob.size() && (glob[g] == '?' || (glob[g] == text[t] && glob[g] != '*'))) {
      ++g;
      ++t;
    } else if (g < glob.size() && glob[g] == '*') {
      star = g++;
      star_text = t;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*')
    ++g;
  return g == glob.size();
}

Result<void> check_owner(const SegmentPolicy& policy, uid_t owner) {
  if (policy.uids.empty() && policy.groups.empty()) return {};
  if (std::find(policy.uids.begin(), policy.uids.end(), owner) != policy.uids.end()) return {};
  if (!policy.groups.empty() && is_member(owner, policy.groups)) return {};
  return fail(ErrorCode::forbidden,
              "user " + std::to_string(owner) + " may not write segments in this directory",
              "see segments[].allow in agent.yaml");
}

Result<void> check_speaks_for(const SegmentPolicy& policy, const Identity& identity) {
  if (!any_fits(policy.backups, identity.backup))
    return fail(ErrorCode::forbidden,
                "segments of this directory may not speak for backup " + quoted(identity.backup),
                "see segments[].allow.backups in agent.yaml");
  if (!any_fits(policy.items, identity.item))
    return fail(ErrorCode::forbidden,
                "segments of this directory may not speak for item " + quoted(identity.item),
                "see segments[].allow.items in agent.yaml");
  return {};
}

Result<gid_t> group_number(const std::string& group) {
  gid_t number = 0;
  const auto* end = group.data() + group.size();
  const auto parsed = std::from_chars(group.data(), end, number);
  if (parsed.ec == std::errc{} && parsed.ptr == end) return number;
  std::array<char, 8192> storage{};
  struct ::group entry {};
  struct ::group* found = nullptr;
  if (::getgrnam_r(group.c_str(), &entry, storage.data(), storage.size(), &found) != 0 || !found)
    return fail(ErrorCode::not_found, "there is no group " + quoted(group),
                "create it, or name another group");
  return entry.gr_gid;
}

}  // namespace plimsoll
