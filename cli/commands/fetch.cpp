// fetch.cpp - names to objects.
#include "cli/commands/fetch.hpp"

#include <algorithm>
#include <vector>

#include "cli/documents.hpp"
#include "schemas/text.hpp"

namespace plimsoll::cli {
namespace {

using nlohmann::json;

constexpr int kMaxMapPages = 1000;
constexpr std::size_t kNamedCandidates = 5;

Failure no_upload(std::string_view text) {
  return fail(ErrorCode::not_found, "no upload " + plimsoll::quoted(text),
              "see what there is: plimsoll get uploads");
}

Result<std::string> only_one(const std::vector<std::string>& ids, std::string_view text) {
  if (ids.size() == 1) return ids.front();
  if (ids.empty()) return no_upload(text);
  std::string candidates;
  for (std::size_t i = 0; i < std::min(ids.size(), kNamedCandidates); ++i)
    candidates += (i == 0 ? "" : ", ") + ids[i];
  if (ids.size() > kNamedCandidates) candidates += ", …";
  return fail(ErrorCode::conflict,
              plimsoll::quoted(text) + " could be " + std::to_string(ids.size()) + " uploads",
              "say which: " + candidates);
}

// The ids of those uploads of `path` for which `matches`.
template <typename Matches>
Result<std::vector<std::string>> matching_ids(const Client& client, const std::string& path,
                                              const Matches& matches) {
  const auto documents = client.list(path);
  if (!documents) return fail(documents.error());
  std::vector<std::string> ids;
  for (const auto& document : *documents)
    if (matches(document)) ids.push_back(text_at(document, "metadata/id"));
  return ids;
}

Result<std::string> resolve_item(const Client& client, std::string_view text, std::size_t slash) {
  const auto backup = text.substr(0, slash);
  const auto item = escape_text(text.substr(slash + 1));
  const auto ids =
      matching_ids(client, with_query("/v1/uploads", "backup", backup),
                   [&](const json& document) { return text_at(document, "spec/item") == item; });
  if (!ids) return fail(ids.error());
  if (ids->empty())
    return fail(
        ErrorCode::not_found,
        "no upload of item " + plimsoll::quoted(item) + " in a backup " + plimsoll::quoted(backup),
        "an upload is named BACKUP/ITEM or by its id: plimsoll get uploads");
  return only_one(*ids, text);
}

Result<std::string> resolve_prefix(const Client& client, std::string_view text) {
  const auto ids = matching_ids(client, "/v1/uploads", [&](const json& document) {
    return text_at(document, "metadata/id").compare(0, text.size(), text) == 0;
  });
  if (!ids) return fail(ids.error());
  return only_one(*ids, text);
}

void merge_map(json& whole, json& page) {
  auto& map = whole["status"]["uploadProgress"];
  auto& more = page["status"]["uploadProgress"];
  if (map.is_object() && more.is_object()) map.update(more);
}

}  // namespace

bool looks_like_upload_id(std::string_view text) {
  return text.size() >= kShortestPrefix && text.size() <= kUploadIdDigits &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

Result<json> fetch_backup(const Client& client, std::string_view name) {
  const auto path = with_query(backup_path(name), "view", "full");
  auto whole = client.get(path);
  if (!whole) return whole;
  if (!whole->is_object())
    return fail(ErrorCode::internal, "read backup " + plimsoll::quoted(name) + ": no object");
  auto token = text_at(*whole, "metadata/continue");
  for (int page = 0; !token.empty(); ++page) {
    if (page == kMaxMapPages)
      return fail(ErrorCode::limit, "read backup " + plimsoll::quoted(name) + ": it does not end");
    auto more = client.get(with_query(path, "continue", token));
    if (!more) return more;
    merge_map(*whole, *more);
    token = text_at(*more, "metadata/continue");
  }
  if ((*whole)["metadata"].is_object()) (*whole)["metadata"].erase("continue");
  return whole;
}

Result<std::string> resolve_upload(const Client& client, std::string_view text) {
  const auto slash = text.find('/');
  if (slash != text.npos) return resolve_item(client, text, slash);
  if (!looks_like_upload_id(text)) {
    if (text.size() < kShortestPrefix)
      return fail(ErrorCode::usage, "upload " + plimsoll::quoted(text) + ": too short",
                  "give at least 4 digits of the id, or BACKUP/ITEM");
    return no_upload(text);
  }
  if (text.size() == kUploadIdDigits) return std::string(text);
  return resolve_prefix(client, text);
}

Result<json> fetch_upload(const Client& client, std::string_view text) {
  return resolve_upload(client, text).and_then([&](const std::string& id) {
    return client.get(upload_path(id));
  });
}

}  // namespace plimsoll::cli
