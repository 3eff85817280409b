// list_query.cpp - see list_query.hpp.
#include "controller/io/api/list_query.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include "controller/io/api/json_fields.hpp"
#include "schemas/text.hpp"
#include "schemas/text_bounds.hpp"

namespace plimsoll {
namespace {

std::string listed(std::initializer_list<std::string_view> words) {
  std::string list;
  for (const auto word : words)
    list += (list.empty() ? "" : ", ") + std::string(word);
  return list;
}

// Pages have no place in a watch, which always begins with everything.
void refuse_pages_of_watch(QueryReader& reader, const QueryFields& fields) {
  for (const auto& [key, value] : fields)
    if (key == "limit" || key == "continue") reader.refuse(key, "a watch has no pages");
}

template <typename Words>
std::string listed_words(const Words& words) {
  std::string list;
  for (const auto& row : words)
    list += (list.empty() ? "" : ", ") + std::string(row.word);
  return list;
}

}  // namespace

QueryReader::QueryReader(const QueryFields& fields, std::initializer_list<std::string_view> known)
    : fields_(fields) {
  std::vector<std::string_view> seen;
  for (const auto& [key, value] : fields) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      const auto near = nearest_word(key, known);
      const auto rest = known.size() == 0 ? std::string("this path takes no query")
                                          : "known here: " + listed(known);
      refuse(cut_utf8(key, 64), "unknown query parameter " + plimsoll::quoted(key),
             near.empty() ? rest : "did you mean '" + near + "'?");
    }
    if (std::find(seen.begin(), seen.end(), key) != seen.end())
      refuse(key, "query parameter " + plimsoll::quoted(key) + " is given twice");
    seen.emplace_back(key);
  }
}

std::string QueryReader::text(std::string_view key, std::size_t max_bytes) {
  const auto* value = find(key);
  if (value == nullptr) return "";
  if (value->size() <= max_bytes) return *value;
  refuse(key, std::string(key) + " is longer than " + std::to_string(max_bytes) + " bytes");
  return "";
}

std::size_t QueryReader::choice(std::string_view key,
                                std::initializer_list<std::string_view> words) {
  const auto* value = find(key);
  if (value == nullptr) return 0;
  const auto* const found = std::find(words.begin(), words.end(), *value);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  refuse(key, std::string(key) + ": unknown value " + plimsoll::quoted(*value),
         "one of: " + listed(words));
  return 0;
}

std::size_t QueryReader::number(std::string_view key, std::size_t otherwise, std::size_t max) {
  const auto* value = find(key);
  if (value == nullptr) return otherwise;
  std::size_t number = 0;
  const char* const end = value->data() + value->size();
  const auto parsed = std::from_chars(value->data(), end, number);
  if (parsed.ec == std::errc() && parsed.ptr == end && number >= 1 && number <= max) return number;
  refuse(key, std::string(key) + " must be a whole number from 1 to " + std::to_string(max));
  return otherwise;
}

void QueryReader::refuse(std::string_view key, const std::string& what, const std::string& hint) {
  if (error_) return;
  error_ = Error{ErrorCode::bad_request, what, hint, std::string(key)};
}

const std::string* QueryReader::find(std::string_view key) const {
  for (const auto& [name, value] : fields_)
    if (name == key) return &value;
  return nullptr;
}

Result<ListRequest<BackupQuery>> backup_list_request(const QueryFields& fields) {
  QueryReader reader(fields, {"phase", "name", "limit", "continue", "watch"});
  ListRequest<BackupQuery> request;
  const auto phase = reader.text("phase", 64);
  if (!phase.empty()) {
    request.query.phase = backup_phase_from_word(phase);
    if (!request.query.phase)
      reader.refuse("phase", "phase: unknown value " + plimsoll::quoted(phase),
                    "one of: " + listed_words(kBackupPhases));
  }
  request.query.name = reader.text("name", kMaxBackupBytes);
  request.query.limit = reader.number("limit", kMaxListed, kMaxListed);
  request.query.after = reader.text("continue", kMaxItemBytes);
  request.watch = reader.choice("watch", {"0", "1", "false", "true"}) % 2 == 1;
  if (request.watch) refuse_pages_of_watch(reader, fields);
  if (reader.error()) return fail(*reader.error());
  return request;
}

Result<ListRequest<UploadQuery>> upload_list_request(const QueryFields& fields) {
  QueryReader reader(fields, {"backup", "state", "node", "orphans", "limit", "continue", "watch"});
  ListRequest<UploadQuery> request;
  request.query.backup = reader.text("backup", kMaxBackupBytes);
  const auto state = reader.text("state", 64);
  if (!state.empty()) {
    request.query.state = upload_state_from_word(state);
    if (!request.query.state)
      reader.refuse("state", "state: unknown value " + plimsoll::quoted(state),
                    "one of: " + listed_words(kUploadStates));
  }
  request.query.node = reader.text("node", kMaxNodeBytes);
  request.query.orphans = reader.choice("orphans", {"0", "1", "false", "true"}) % 2 == 1;
  request.query.limit = reader.number("limit", kMaxListed, kMaxListed);
  request.query.after = reader.text("continue", kMaxItemBytes);
  request.watch = reader.choice("watch", {"0", "1", "false", "true"}) % 2 == 1;
  if (request.watch) refuse_pages_of_watch(reader, fields);
  if (reader.error()) return fail(*reader.error());
  return request;
}

Result<std::string> whole_backup_after(const QueryFields& fields) {
  QueryReader reader(fields, {"view", "continue"});
  (void)reader.choice("view", {"full"});
  auto after = reader.text("continue", kMaxItemBytes);
  if (reader.error()) return fail(*reader.error());
  return after;
}

bool matches(const BackupQuery& query, const BackupDocument& backup) {
  return (!query.phase || *query.phase == backup.phase) &&
         (query.name.empty() || query.name == backup.name);
}

bool matches(const UploadQuery& query, const UploadDocument& upload, bool orphan) {
  return query.orphans == orphan &&
         (query.backup.empty() || query.backup == upload.backup ||
          query.backup == upload.backup_uid) &&
         (!query.state || *query.state == upload.view.state) &&
         (query.node.empty() || query.node == upload.view.node);
}

}  // namespace plimsoll
