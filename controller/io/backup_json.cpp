// backup_json.cpp - rendering; absent means unknown.
#include "controller/io/backup_json.hpp"

#include <optional>

#include <nlohmann/json.hpp>

#include "schemas/api_json.hpp"
#include "schemas/text.hpp"

namespace plimsoll {
namespace {

using nlohmann::json;

void put_time(json& to, const char* key, const std::optional<WallTime>& time) {
  if (time) to[key] = rfc3339(*time);
}

json messages_json(const std::vector<BackupMessage>& messages) {
  json all = json::array();
  for (const auto& message : messages) {
    json row = {{"source", escape_text(message.source)}, {"text", escape_text(message.text)}};
    put_time(row, "time", message.time);
    all.push_back(std::move(row));
  }
  return all;
}

json counts_json(const StateCounts& counts) {
  json all = json::object();
  for (const auto& row : kUploadStates)
    all[std::string(row.word)] = counts.at(static_cast<std::size_t>(row.state));
  return all;
}

json totals_json(const BackupTotals& totals) {
  json row = {{"itemsCompleted", totals.items_completed},
              {"unknown", totals.unknown},
              {"uploads", totals.uploads},
              {"uploadsOver", totals.uploads_over}};
  if (totals.items_to_complete) row["itemsToComplete"] = *totals.items_to_complete;
  if (totals.rate) row["ratePerSecond"] = *totals.rate;
  if (totals.eta_seconds) row["etaSeconds"] = *totals.eta_seconds;
  return row;
}

json left_behind_json(const std::vector<LeftBehind>& left_behind) {
  json all = json::array();
  for (const auto& left : left_behind)
    all.push_back({{"segment", to_hex(left.segment).substr(0, 16)},
                   {"item", escape_text(left.item)},
                   {"node", escape_text(left.node)},
                   {"answered", left.answered}});
  return all;
}

json items_json(const std::vector<BackupItem>& items) {
  json all = json::array();
  for (const auto& item : items) {
    json row = {{"item", escape_text(item.item)}};
    if (!item.snapshot_id.empty()) row["snapshotID"] = escape_text(item.snapshot_id);
    if (!item.volume_id.empty()) row["volumeID"] = escape_text(item.volume_id);
    if (item.parts != 0) row["parts"] = item.parts;
    all.push_back(std::move(row));
  }
  return all;
}

json status_json(const BackupDocument& backup) {
  json status = {{"phase", word(backup.phase)},
                 {"counts", counts_json(backup.counts)},
                 {"totals", totals_json(backup.totals)},
                 {"errors", messages_json(backup.errors)},
                 {"warnings", messages_json(backup.warnings)}};
  put_time(status, "startTimestamp", backup.started);
  put_time(status, "completionTimestamp", backup.completed);
  if (!backup.left_behind.empty()) status["leftBehind"] = left_behind_json(backup.left_behind);
  return status;
}

}  // namespace

std::string_view word(SealMode seal) {
  return seal == SealMode::auto_ ? "auto" : "manual";
}

std::string_view word(BackupSource source) {
  switch (source) {
    case BackupSource::cli:
      return "cli";
    case BackupSource::run:
      return "run";
    case BackupSource::velero:
      return "velero";
    case BackupSource::api:
      return "api";
  }
  return "api";
}

json backup_json(const BackupDocument& backup) {
  json metadata = {{"name", backup.name}, {"uid", escape_text(backup.uid)}};
  put_time(metadata, "creationTimestamp", backup.created);
  return {{"apiVersion", kApiVersion},
          {"kind", "Backup"},
          {"metadata", metadata},
          {"spec", {{"seal", word(backup.seal)}, {"source", word(backup.source)}}},
          {"status", status_json(backup)}};
}

json whole_backup_json(const BackupDocument& backup, const std::vector<UploadDocument>& uploads,
                       std::string_view next) {
  json whole = backup_json(backup);
  whole["spec"]["items"] = items_json(backup.items);
  json progress = json::object();
  for (const auto& upload : uploads)
    progress[escape_text(upload.item)] = upload_status_json(upload);
  whole["status"]["uploadProgress"] = std::move(progress);
  if (!next.empty()) whole["metadata"]["continue"] = next;
  return whole;
}

json node_json(const NodeDocument& node) {
  return {{"apiVersion", kApiVersion},
          {"kind", "Node"},
          {"metadata", {{"name", escape_text(node.name)}}},
          {"status",
           {{"bootID", to_hex(node.boot)},
            {"agentVersion", escape_text(node.agent_version)},
            {"session", node.session},
            {"freshness",
             {{"state", word(node.freshness)}, {"ageSeconds", node.freshness_age_seconds}}},
            {"uploads", node.uploads}}}};
}

}  // namespace plimsoll
