// documents.cpp - JSON to rows, tolerant of what is missing and of what is new.
#include "cli/documents.hpp"

#include <nlohmann/json.hpp>

#include <limits>

#include "cli/amounts.hpp"
#include "schemas/text.hpp"

namespace plimsoll::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxTextBytes =
    4096;                                 // no field of the contract is as long, escapes included
constexpr std::size_t kMaxListed = 2000;  // entries of one list inside a document

const json& at(const json& from, std::string_view path) {
  static const json kNothing;
  const json* here = &from;
  while (!path.empty()) {
    const auto slash = path.find('/');
    const auto key = std::string(path.substr(0, slash));
    if (!here->is_object()) return kNothing;
    const auto found = here->find(key);
    if (found == here->end()) return kNothing;
    here = &*found;
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  }
  return *here;
}

std::string safe_text(const json& value) {
  if (!value.is_string()) return "";
  return escape_text(cut_utf8(value.get_ref<const std::string&>(), kMaxTextBytes));
}

std::optional<std::int64_t> integer_at(const json& from, std::string_view path) {
  const auto& value = at(from, path);
  if (value.is_number_unsigned()) {
    const auto wide = value.get<std::uint64_t>();
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    return wide > static_cast<std::uint64_t>(kMost) ? kMost : static_cast<std::int64_t>(wide);
  }
  if (!value.is_number_integer()) return std::nullopt;
  const auto number = value.get<std::int64_t>();
  return number < 0 ? std::nullopt : std::optional(number);
}

std::optional<double> number_at(const json& from, std::string_view path) {
  const auto& value = at(from, path);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

std::optional<WallTime> time_at(const json& from, std::string_view path) {
  const auto& value = at(from, path);
  return value.is_string() ? parse_time(value.get_ref<const std::string&>()) : std::nullopt;
}

std::optional<std::int64_t> total_at(const json& from, std::string_view path) {
  const auto total = integer_at(from, path);
  return total && *total > 0 ? total : std::nullopt;
}

FreshnessRow read_freshness(const json& value) {
  FreshnessRow row;
  const auto state = text_at(value, "state");
  if (state == word(Freshness::late)) row.state = Freshness::late;
  if (state == word(Freshness::unreachable)) row.state = Freshness::unreachable;
  row.age_seconds = integer_at(value, "ageSeconds").value_or(0);
  return row;
}

template <typename Read>
auto read_all(const json& list, const Read& read) {
  std::vector<decltype(read(list))> rows;
  if (!list.is_array()) return rows;
  for (const auto& entry : list)
    if (rows.size() < kMaxListed) rows.push_back(read(entry));
  return rows;
}

EventRow read_event(const json& entry) {
  if (entry.is_string()) return {std::nullopt, "", safe_text(entry)};
  auto source = text_at(entry, "source");
  if (source.empty()) source = text_at(entry, "severity");
  return {time_at(entry, "time"), source, text_at(entry, "text")};
}

std::string left_behind_text(const json& entry) {
  auto text = text_at(entry, "item");
  if (const auto node = text_at(entry, "node"); !node.empty()) text += " on " + node;
  if (const auto segment = text_at(entry, "segment"); !segment.empty())
    text += ", segment " + segment;
  const auto& answered = at(entry, "answered");
  if (answered.is_boolean() && !answered.get<bool>()) text += ": has not answered the cancel";
  return text;
}

PartRow read_part(const json& entry) {
  return {text_at(entry, "part"),
          text_at(entry, "state"),
          integer_at(entry, "itemsCompleted").value_or(0),
          total_at(entry, "itemsToComplete"),
          integer_at(entry, "attempt").value_or(0),
          text_at(entry, "node"),
          text_at(entry, "err")};
}

void read_status_texts(const json& status, UploadRow& row) {
  row.state_word = text_at(status, "state");
  row.state = upload_state_from_word(row.state_word);
  row.outcome = text_at(status, "outcome");
  row.err = text_at(status, "err");
  row.reason = text_at(status, "reason");
  if (at(status, "units").is_string()) row.units = text_at(status, "units");
  row.description = text_at(status, "description");
  row.activity = text_at(status, "activity");
  row.node = text_at(status, "node");
  row.segment = text_at(status, "segment");
  row.stored_as = text_at(status, "storedAs");
  row.retrieval_error = text_at(status, "retrievalError/text");
}

void read_status_numbers(const json& status, UploadRow& row) {
  row.done = integer_at(status, "itemsCompleted").value_or(0);
  row.total = total_at(status, "itemsToComplete");
  row.attempt = integer_at(status, "attempt").value_or(0);
  row.attempts = integer_at(status, "attempts").value_or(0);
  row.errors = integer_at(status, "errors").value_or(0);
  row.warnings = integer_at(status, "warnings").value_or(0);
  row.bytes_read = integer_at(status, "bytesRead");
  row.bytes_sent = integer_at(status, "bytesSent");
  row.files_done = integer_at(status, "filesDone");
  row.files_total = integer_at(status, "filesTotal");
  row.eta_seconds = integer_at(status, "etaSeconds");
  row.rate = number_at(status, "ratePerSecond");
  row.percent = number_at(status, "percent");
}

void read_status(const json& status, UploadRow& row) {
  read_status_texts(status, row);
  read_status_numbers(status, row);
  row.started = time_at(status, "started");
  row.updated = time_at(status, "updated");
  row.since = time_at(status, "since");
  row.freshness = read_freshness(at(status, "freshness"));
  row.retrieval_error_since = time_at(status, "retrievalError/since");
  row.part_rows = read_all(at(status, "partStatus"), read_part);
  row.history = read_all(at(status, "history"), read_event);
}

void read_totals(const json& totals, BackupRow& row) {
  row.done = integer_at(totals, "itemsCompleted").value_or(0);
  row.total = total_at(totals, "itemsToComplete");
  row.unknown = integer_at(totals, "unknown").value_or(0);
  row.uploads = integer_at(totals, "uploads").value_or(0);
  row.uploads_over = integer_at(totals, "uploadsOver").value_or(0);
  row.rate = number_at(totals, "ratePerSecond");
  row.eta_seconds = integer_at(totals, "etaSeconds");
}

void read_upload_map(const json& map, BackupRow& row) {
  if (!map.is_object()) return;
  for (const auto& [item, status] : map.items()) {
    UploadRow upload;
    upload.backup = row.name;
    upload.item = escape_text(cut_utf8(item, kMaxTextBytes));
    read_status(status, upload);
    row.upload_rows.push_back(std::move(upload));
  }
}

}  // namespace

std::int64_t BackupRow::count(UploadState state) const {
  const auto found = counts.find(std::string(word(state)));
  return found == counts.end() ? 0 : found->second;
}

std::string text_at(const json& document, std::string_view path) {
  return safe_text(at(document, path));
}

UploadRow read_upload(const json& document) {
  UploadRow row;
  row.id = text_at(document, "metadata/id");
  row.created = time_at(document, "metadata/creationTimestamp");
  row.backup = text_at(document, "spec/backup");
  row.backup_uid = text_at(document, "spec/backupUID");
  row.item = text_at(document, "spec/item");
  row.snapshot_id = text_at(document, "spec/snapshotID");
  row.volume_id = text_at(document, "spec/volumeID");
  row.parts = integer_at(document, "spec/parts").value_or(0);
  read_status(at(document, "status"), row);
  return row;
}

BackupRow read_backup(const json& document) {
  BackupRow row;
  row.name = text_at(document, "metadata/name");
  row.uid = text_at(document, "metadata/uid");
  row.created = time_at(document, "metadata/creationTimestamp");
  row.seal = text_at(document, "spec/seal");
  row.source = text_at(document, "spec/source");
  const auto& status = at(document, "status");
  row.phase_word = text_at(status, "phase");
  row.phase = backup_phase_from_word(row.phase_word);
  row.started = time_at(status, "startTimestamp");
  row.ended = time_at(status, "completionTimestamp");
  const auto& counts = at(status, "counts");
  if (counts.is_object())
    for (const auto& entry : counts.items())
      row.counts[escape_text(entry.key())] = integer_at(counts, entry.key()).value_or(0);
  read_totals(at(status, "totals"), row);
  row.errors = read_all(at(status, "errors"), read_event);
  row.warnings = read_all(at(status, "warnings"), read_event);
  row.left_behind =
      read_all(at(status, "leftBehind"), [](const json& entry) { return left_behind_text(entry); });
  read_upload_map(at(status, "uploadProgress"), row);
  return row;
}

NodeRow read_node(const json& document) {
  NodeRow row;
  row.name = text_at(document, "metadata/name");
  row.boot_id = text_at(document, "status/bootID");
  row.agent_version = text_at(document, "status/agentVersion");
  row.session = integer_at(document, "status/session");
  row.freshness = read_freshness(at(document, "status/freshness"));
  row.uploads = integer_at(document, "status/uploads").value_or(0);
  return row;
}

json escaped_copy(const json& document) {
  if (document.is_string()) return escape_text(document.get_ref<const std::string&>());
  if (document.is_array()) {
    auto copy = json::array();
    for (const auto& entry : document)
      copy.push_back(escaped_copy(entry));
    return copy;
  }
  if (!document.is_object()) return document;
  auto copy = json::object();
  for (const auto& [key, value] : document.items())
    copy[escape_text(key)] = escaped_copy(value);
  return copy;
}

}  // namespace plimsoll::cli
