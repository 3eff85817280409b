// names.hpp - the grammar of names: backups, items, parts, labels. Pure; a path is never built from
// any of them.
#pragma once

#include <string>
#include <string_view>

#include "schemas/result.hpp"
#include "schemas/upload_progress.hpp"

namespace plimsoll {

// A DNS-1123 subdomain of 1…253 bytes: lower-case letters, digits, '-' and '.'.
[[nodiscard]] Result<void> check_backup_name(std::string_view name);

// What is backed up: RESOURCE[.GROUP]/NAMESPACE/NAME or RESOURCE/NAME.
struct ItemName {
  std::string resource;    // with its group, as written
  std::string name_space;  // "" = none
  std::string name;
};

// ≤ 640 bytes; each piece letters, digits, and inside also - . _ : (never empty, never "." or
// "..").
[[nodiscard]] Result<ItemName> parse_item(std::string_view text);

[[nodiscard]] Result<void> check_part(std::string_view part);    // ≤ 63, [A-Za-z0-9._-]*
[[nodiscard]] Result<void> check_label(std::string_view label);  // key=value, ≤ 127
// Opaque id from outside (snapshot, volume, UID, units, tool): valid UTF-8, no controls, ≤
// max_bytes.
[[nodiscard]] Result<void> check_opaque(std::string_view field, std::string_view text,
                                        std::size_t max_bytes);

// Every field against its grammar and bound; `backup` and `item` may be "".
[[nodiscard]] Result<void> check_identity(const Identity& identity);

}  // namespace plimsoll
