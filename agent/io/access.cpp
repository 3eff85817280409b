// access.cpp - the rules of docs/design.md, "What people touch".
#include "agent/io/access.hpp"

#include <algorithm>

namespace plimsoll {

bool is_admin(const AccessRules& rules, const PeerCredentials& peer) {
  if (!peer.known()) return false;
  if (peer.uid == 0 || peer.uid == rules.daemon_uid) return true;
  const auto& uids = rules.admin_uids;
  if (std::find(uids.begin(), uids.end(), peer.uid) != uids.end()) return true;
  return std::any_of(rules.admin_groups.begin(), rules.admin_groups.end(),
                     [&peer](gid_t group) { return peer.in_group(group); });
}

bool may_cancel(const AccessRules& rules, const PeerCredentials& peer,
                const std::vector<uid_t>& owners) {
  if (is_admin(rules, peer)) return true;
  if (!peer.known() || owners.empty()) return false;
  return std::all_of(owners.begin(), owners.end(),
                     [&peer](uid_t owner) { return owner == peer.uid; });
}

}  // namespace plimsoll
