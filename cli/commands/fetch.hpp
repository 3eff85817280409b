// fetch.hpp - objects by the names that people type: whole ids, their beginnings, BACKUP/ITEM.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "cli/client.hpp"
#include "schemas/result.hpp"

namespace plimsoll::cli {

inline constexpr std::size_t kUploadIdDigits = 16;
inline constexpr std::size_t kShortestPrefix = 4;

// The backup with its whole map of uploads, however many pages that takes.
[[nodiscard]] Result<nlohmann::json> fetch_backup(const Client& client, std::string_view name);

// The id that `text` means: 16 hex digits, an unambiguous beginning of at least 4, or BACKUP/ITEM.
// not_found, or conflict with the ids that it could be.
[[nodiscard]] Result<std::string> resolve_upload(const Client& client, std::string_view text);

// The upload itself, with its history.
[[nodiscard]] Result<nlohmann::json> fetch_upload(const Client& client, std::string_view text);

// Lower-case hex of 4…16 digits: could be (the beginning of) an upload's id.
[[nodiscard]] bool looks_like_upload_id(std::string_view text);

}  // namespace plimsoll::cli
