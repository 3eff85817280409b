// upload_table.hpp - attempts made uploads, for the agent's own API and page. Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/agent_state.hpp"
#include "agent/core/moment.hpp"
#include "schemas/upload_document.hpp"

namespace plimsoll {
inline namespace agent {

// The upload made of these attempts (one key's of AttemptTable::uploads()), as this node knows it.
// Its id is the newest attempt's.
[[nodiscard]] UploadDocument upload_document(const AgentState& state,
                                             const std::set<SegmentId>& segments,
                                             const Moment& moment);

// 16 hex digits of any of its attempts, or an unambiguous beginning of at least 4. Null: none, or
// several.
struct UploadFound {
  const UploadKey* key = nullptr;
  const std::set<SegmentId>* segments = nullptr;
  bool ambiguous = false;
};
[[nodiscard]] UploadFound find_upload(const AttemptTable& attempts, std::string_view id);

// The highest revision among its attempts.
[[nodiscard]] std::uint64_t revision_of(const AttemptTable& attempts,
                                        const std::set<SegmentId>& segments);

}  // namespace agent
}  // namespace plimsoll
