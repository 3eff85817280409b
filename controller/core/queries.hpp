// queries.hpp - what clients read: the committed state, never ahead of it. Pure; history is read
// from the store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controller/core/api_calls.hpp"
#include "controller/core/controller_state.hpp"
#include "controller/core/documents.hpp"

namespace plimsoll {

inline constexpr std::size_t kMaxListed = 2000;  // objects in one answer
inline constexpr std::size_t kMaxMapEntries =
    2000;  // entries of a backup's uploadProgress in one answer

template <typename T>
struct Page {
  std::vector<T> items;
  std::string next;  // pass it as `after` for the rest; "" = that was all
};

struct BackupQuery {
  std::optional<BackupPhase> phase;
  std::string name;                // exact; "" = any
  std::size_t limit = kMaxListed;  // 1…kMaxListed
  std::string after;
};

struct UploadQuery {
  std::string backup;  // name or UID; "" = any
  std::optional<UploadState> state;
  std::string node;
  bool orphans = false;  // orphans only; else uploads only
  std::size_t limit = kMaxListed;
  std::string after;
};

// By name. Without `items`.
[[nodiscard]] Page<BackupDocument> list_backups(const ControllerState& state,
                                                const BackupQuery& query);
// By id.
[[nodiscard]] Page<UploadDocument> list_uploads(const ControllerState& state,
                                                const UploadQuery& query, TimePoint now);
[[nodiscard]] std::vector<NodeDocument> list_nodes(const ControllerState& state, TimePoint now);

// By name or UID; `not_found`, or `gone` while the tombstone lives.
[[nodiscard]] tl::expected<BackupDocument, ApiError> get_backup(const ControllerState& state,
                                                                std::string_view name_or_uid);
// A backup's uploads by item, at most kMaxMapEntries; `after` is an item.
[[nodiscard]] Page<UploadDocument> backup_uploads(const ControllerState& state,
                                                  std::string_view backup_uid,
                                                  std::string_view after, TimePoint now);
// By id (an orphan: the first 16 hex digits of its segment).
[[nodiscard]] tl::expected<UploadDocument, ApiError> get_upload(const ControllerState& state,
                                                                std::string_view id, TimePoint now);
// The segment whose history belongs to an orphan's id; nothing for uploads.
[[nodiscard]] std::optional<SegmentId> orphan_segment(const ControllerState& state,
                                                      std::string_view id);

}  // namespace plimsoll
