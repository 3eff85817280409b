// names.cpp - the grammar of names.
#include "schemas/names.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include "schemas/text.hpp"
#include "schemas/text_bounds.hpp"

namespace plimsoll {
namespace {

bool is_lower_alnum(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
bool is_alnum(char c) {
  return is_lower_alnum(c) || (c >= 'A' && c <= 'Z');
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (std::size_t at = text.find(separator); at != std::string_view::npos;
       at = text.find(separator)) {
    pieces.push_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  pieces.push_back(text);
  return pieces;
}

bool is_dns_label(std::string_view label) {
  return !label.empty() && is_lower_alnum(label.front()) && is_lower_alnum(label.back()) &&
         std::all_of(label.begin(), label.end(),
                     [](char c) { return is_lower_alnum(c) || c == '-'; });
}

bool is_item_piece(std::string_view piece) {
  if (piece.empty() || !is_alnum(piece.front())) return false;
  return std::all_of(piece.begin(), piece.end(), [](char c) {
    return is_alnum(c) || c == '-' || c == '.' || c == '_' || c == ':';
  });
}

bool has_control(std::string_view text) {
  return escape_text(text) != text;
}

Failure bad(std::string message, std::string hint, std::string field) {
  return fail(ErrorCode::bad_request, std::move(message), std::move(hint), std::move(field));
}

}  // namespace

Result<void> check_backup_name(std::string_view name) {
  const std::string hint =
      "use lower-case letters, digits, '-' and '.', at most 253, e.g. nightly-2026.12.01";
  if (name.empty() || name.size() > kMaxBackupBytes)
    return bad("backup name " + quoted(name) + ": 1 to 253 characters are allowed", hint,
               "metadata.name");
  const auto labels = split(name, '.');
  if (!std::all_of(labels.begin(), labels.end(), is_dns_label))
    return bad("backup name " + quoted(name) + ": not a DNS-1123 subdomain", hint, "metadata.name");
  return {};
}

Result<ItemName> parse_item(std::string_view text) {
  const std::string hint = "write RESOURCE/NAMESPACE/NAME, e.g. persistentvolumeclaims/db/data-0";
  if (text.empty() || text.size() > kMaxItemBytes)
    return bad("item " + quoted(text) + ": 1 to 640 characters are allowed", hint, "item");
  const auto pieces = split(text, '/');
  if (pieces.size() < 2 || pieces.size() > 3)
    return bad("item " + quoted(text) + ": not RESOURCE/NAME or RESOURCE/NAMESPACE/NAME", hint,
               "item");
  for (const auto piece : pieces)
    if (!is_item_piece(piece))
      return bad("item " + quoted(text) + ": bad piece " + quoted(piece), hint, "item");
  if (pieces.size() == 2) return ItemName{std::string(pieces[0]), "", std::string(pieces[1])};
  return ItemName{std::string(pieces[0]), std::string(pieces[1]), std::string(pieces[2])};
}

Result<void> check_part(std::string_view part) {
  const bool good =
      part.size() <= kMaxPartBytes && std::all_of(part.begin(), part.end(), [](char c) {
        return is_alnum(c) || c == '-' || c == '.' || c == '_';
      });
  if (!good)
    return bad("part " + quoted(part) + ": not a part name", "use at most 63 of A-Z a-z 0-9 . _ -",
               "part");
  return {};
}

Result<void> check_opaque(std::string_view field, std::string_view text, std::size_t max_bytes) {
  const std::string name(field);
  if (text.size() > max_bytes)
    return bad(name + " " + quoted(text) + ": longer than " + std::to_string(max_bytes) + " bytes",
               "shorten it", name);
  if (!is_valid_utf8(text) || has_control(text))
    return bad(name + " " + quoted(text) + ": control characters or invalid UTF-8",
               "use printable UTF-8", name);
  return {};
}

Result<void> check_label(std::string_view label) {
  const auto at = label.find('=');
  if (at == std::string_view::npos || at == 0)
    return bad("label " + quoted(label) + ": not key=value", "e.g. --label team=storage", "labels");
  return check_opaque("labels", label, kMaxLabelBytes);
}

Result<void> check_identity(const Identity& identity) {
  if (!identity.backup.empty())
    if (auto r = check_backup_name(identity.backup); !r) return r;
  if (!identity.item.empty())
    if (auto r = parse_item(identity.item); !r) return fail(r.error());
  if (auto r = check_part(identity.part); !r) return r;
  struct Opaque {
    std::string_view field;
    const std::string* text;
    std::size_t max_bytes;
  };
  const Opaque fields[] = {
      {"backupUID", &identity.backup_uid, kMaxUidBytes},
      {"snapshotID", &identity.snapshot_id, kMaxSnapshotIdBytes},
      {"volumeID", &identity.volume_id, kMaxVolumeIdBytes},
      {"units", &identity.units, kMaxUnitsBytes},
      {"tool", &identity.tool, kMaxToolBytes},
      {"toolVersion", &identity.tool_version, kMaxToolBytes},
  };
  for (const auto& [field, text, max_bytes] : fields)
    if (auto r = check_opaque(field, *text, max_bytes); !r) return r;
  if (identity.labels.size() > kMaxLabels)
    return bad("labels: " + std::to_string(identity.labels.size()) + " given, at most 8",
               "drop some", "labels");
  for (const auto& label : identity.labels)
    if (auto r = check_label(label); !r) return r;
  return {};
}

}  // namespace plimsoll
