// upload_query.cpp - strict reading of query fields.
#include "agent/io/upload_query.hpp"

#include <algorithm>
#include <charconv>

#include "schemas/ids.hpp"
#include "schemas/text.hpp"

namespace plimsoll {
namespace {

Failure bad(const std::string& key, const std::string& what) {
  return fail(ErrorCode::bad_request, "query field " + quoted(key) + ": " + what, "", key);
}

Result<void> take_limit(UploadQuery& query, const std::string& text) {
  const auto* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, query.limit);
  if (parsed.ec != std::errc{} || parsed.ptr != end || query.limit < 1 || query.limit > kMaxPage)
    return bad("limit", quoted(text) + " is no number from 1 to " + std::to_string(kMaxPage));
  return {};
}

Result<void> take_flag(bool& flag, const std::string& key, const std::string& text) {
  if (text != "1" && text != "0") return bad(key, quoted(text) + " is neither 0 nor 1");
  flag = text == "1";
  return {};
}

Result<void> take_state(UploadQuery& query, const std::string& text) {
  query.state = upload_state_from_word(text);
  if (query.state) return {};
  std::string words;
  for (const auto& row : kUploadStates)
    words += (words.empty() ? "" : ", ") + std::string(row.word);
  return bad("state", quoted(text) + " is no state; there are " + words);
}

Result<void> take_field(UploadQuery& query, const std::string& key, const std::string& text) {
  bool orphans = false;
  if (key == "backup") {
    query.backup = text;
  } else if (key == "node") {
    query.node = text;
  } else if (key == "state") {
    return take_state(query, text);
  } else if (key == "limit") {
    return take_limit(query, text);
  } else if (key == "watch") {
    return take_flag(query.watch, key, text);
  } else if (key == "continue") {
    query.after = id_from_hex<SegmentId>(text);
    if (!query.after) return bad(key, "not a value that this daemon gave out");
  } else if (key == "orphans") {
    if (auto taken = take_flag(orphans, key, text); !taken) return taken;
    if (orphans) return bad(key, "only the controller knows which uploads are orphans");
  } else {
    return bad(key, "unknown; there are backup, state, node, orphans, limit, continue, watch");
  }
  return {};
}

}  // namespace

Result<UploadQuery> parse_upload_query(const QueryFields& fields) {
  UploadQuery query;
  for (const auto& [key, text] : fields)
    if (auto taken = take_field(query, key, text); !taken) return fail(taken.error());
  return query;
}

bool fits(const UploadQuery& query, const UploadDocument& upload) {
  if (query.backup && *query.backup != upload.backup && *query.backup != upload.backup_uid)
    return false;
  if (query.node && *query.node != upload.view.node) return false;
  return !query.state || *query.state == upload.view.state;
}

std::vector<PlacedUpload> placed_uploads(const AttemptTable& attempts) {
  std::vector<PlacedUpload> placed;
  placed.reserve(attempts.uploads().size());
  for (const auto& [key, segments] : attempts.uploads())
    placed.push_back({*segments.begin(), &segments});
  std::sort(placed.begin(), placed.end(),
            [](const PlacedUpload& a, const PlacedUpload& b) { return a.place < b.place; });
  return placed;
}

}  // namespace plimsoll
