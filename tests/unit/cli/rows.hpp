// rows.hpp - documents as the daemons write them, for the tests of the command line.
#pragma once

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/amounts.hpp"
#include "cli/documents.hpp"
#include "cli/styled.hpp"

namespace plimsoll::cli {

inline constexpr std::int64_t kGiB = std::int64_t{1} << 30;
inline constexpr std::int64_t kMiB = std::int64_t{1} << 20;

inline WallTime at_time(const std::string& text) {
  return *parse_time(text);
}
inline WallTime noon() {
  return at_time("2026-12-01T12:00:00.000Z");
}

inline nlohmann::json upload_document(const std::string& id, const std::string& item,
                                      const std::string& state, nlohmann::json extra = {}) {
  nlohmann::json status = {
      {"completed", false}, {"err", ""},
      {"outcome", "none"},  {"itemsCompleted", 0},
      {"units", "bytes"},   {"state", state},
      {"reason", ""},       {"freshness", {{"state", "live"}, {"ageSeconds", 0}}},
      {"node", "node-a"},   {"attempt", 1},
      {"attempts", 1},      {"segment", id},
      {"errors", 0},        {"warnings", 0}};
  if (extra.is_object()) status.update(extra);
  return {{"apiVersion", "plimsoll.dev/v1"},
          {"kind", "Upload"},
          {"metadata", {{"id", id}, {"creationTimestamp", "2026-12-01T11:00:00.000Z"}}},
          {"spec",
           {{"backup", "nightly"},
            {"backupUID", "uid-nightly"},
            {"item", item},
            {"snapshotID", "snap-1"},
            {"volumeID", ""},
            {"parts", 1}}},
          {"status", status}};
}

inline nlohmann::json backup_document(const std::string& name, const std::string& phase,
                                      nlohmann::json counts, nlohmann::json totals,
                                      nlohmann::json extra = {}) {
  nlohmann::json status = {{"phase", phase},
                           {"counts", std::move(counts)},
                           {"totals", std::move(totals)},
                           {"errors", nlohmann::json::array()},
                           {"warnings", nlohmann::json::array()}};
  if (extra.is_object()) status.update(extra);
  return {
      {"apiVersion", "plimsoll.dev/v1"},
      {"kind", "Backup"},
      {"metadata",
       {{"name", name}, {"uid", "uid-" + name}, {"creationTimestamp", "2026-12-01T11:00:00.000Z"}}},
      {"spec", {{"seal", "manual"}, {"source", "cli"}}},
      {"status", status}};
}

// Every kind of row that `watch` and `get` know.
inline std::vector<UploadRow> sample_uploads() {
  const auto pvc = [](const std::string& name) { return "persistentvolumeclaims/" + name; };
  return {
      read_upload(upload_document("aa00000000000001", pvc("web/logs"), "Completed",
                                  {{"completed", true},
                                   {"outcome", "durable"},
                                   {"percent", 100.0},
                                   {"itemsCompleted", 2 * kGiB},
                                   {"itemsToComplete", 2 * kGiB},
                                   {"started", "2026-12-01T11:50:00.000Z"},
                                   {"updated", "2026-12-01T11:50:17.000Z"},
                                   {"bytesSent", 200 * kMiB}})),
      read_upload(upload_document("aa00000000000002", pvc("shop/minio-2"), "Running",
                                  {{"itemsCompleted", 515 * kGiB},
                                   {"itemsToComplete", 1024 * kGiB},
                                   {"percent", 50.2},
                                   {"activity", "sending"},
                                   {"node", "node-c"},
                                   {"ratePerSecond", 212.0 * kMiB},
                                   {"etaSeconds", 2460},
                                   {"updated", "2026-12-01T11:59:59.900Z"}})),
      read_upload(upload_document("aa00000000000003", pvc("crm/mssql-0"), "Running",
                                  {{"itemsCompleted", 120 * kGiB},
                                   {"activity", "scanning"},
                                   {"ratePerSecond", 96.0 * kMiB},
                                   {"updated", "2026-12-01T11:59:58.000Z"}})),
      read_upload(upload_document("aa00000000000004", pvc("shop/redis-0"), "Lost",
                                  {{"itemsCompleted", kGiB},
                                   {"itemsToComplete", 4 * kGiB},
                                   {"percent", 25.0},
                                   {"reason", "mover left without a result"},
                                   {"since", "2026-12-01T11:59:51.000Z"},
                                   {"updated", "2026-12-01T11:59:51.000Z"}})),
      read_upload(upload_document("aa00000000000005", "paths/srv-www", "Pending",
                                  {{"node", ""}, {"attempt", 0}, {"attempts", 0}})),
  };
}

inline BackupRow sample_backup() {
  return read_backup(
      backup_document("nightly", "UploadingPartialFailure",
                      {{"Completed", 1}, {"Running", 2}, {"Lost", 1}, {"Pending", 1}},
                      {{"itemsCompleted", 638 * kGiB},
                       {"itemsToComplete", 1200 * kGiB},
                       {"unknown", 0},
                       {"uploads", 5},
                       {"uploadsOver", 1},
                       {"ratePerSecond", 308.0 * kMiB},
                       {"etaSeconds", 2460}}));
}

// Lines as text, one a line.
inline std::string text_of(const Lines& lines) {
  std::string text;
  for (const auto& line : lines)
    text += painted(line, false) + "\n";
  return text;
}

}  // namespace plimsoll::cli
