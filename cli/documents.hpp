// documents.hpp - what the daemons' JSON says, as values. Pure; the one gate for text from a
// server: every string is bounded and escaped here, so whatever is in a row may go to a terminal.
// Absent or of the wrong type = not known; nothing throws.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schemas/backup_phase.hpp"
#include "schemas/time.hpp"
#include "schemas/upload_state.hpp"

namespace plimsoll::cli {

struct FreshnessRow {
  Freshness state = Freshness::live;
  std::int64_t age_seconds = 0;
};

struct EventRow {
  std::optional<WallTime> time;
  std::string source;  // severity of an upload's event, source of a backup's error
  std::string text;
};

struct PartRow {
  std::string name;
  std::string state_word;
  std::int64_t done = 0;
  std::optional<std::int64_t> total;
  std::int64_t attempt = 0;
  std::string node;
  std::string err;
};

struct UploadRow {
  std::string id;
  std::string backup, backup_uid, item, snapshot_id, volume_id;
  std::int64_t parts = 0;  // 0 = not known
  std::optional<WallTime> created;
  std::optional<UploadState> state;  // nothing: a word of a newer daemon
  std::string state_word;
  std::string outcome, err, reason, units = "bytes", description, activity, node, segment,
                                    stored_as;
  std::int64_t done = 0;
  std::optional<std::int64_t> total;
  std::optional<WallTime> started, updated, since;
  FreshnessRow freshness;
  std::int64_t attempt = 0, attempts = 0, errors = 0, warnings = 0;
  std::optional<std::int64_t> bytes_read, bytes_sent, files_done, files_total, eta_seconds;
  std::optional<double> rate, percent;
  std::string retrieval_error;  // "" = none
  std::optional<WallTime> retrieval_error_since;
  std::vector<PartRow> part_rows;
  std::vector<EventRow> history;

  [[nodiscard]] bool over() const { return state && is_over(*state); }
};

struct BackupRow {
  std::string name, uid, seal, source;
  std::optional<BackupPhase> phase;  // nothing: a word of a newer daemon
  std::string phase_word;
  std::optional<WallTime> created, started, ended;
  std::map<std::string, std::int64_t> counts;  // by word of state, as the server says them
  std::int64_t uploads = 0, uploads_over = 0, unknown = 0;
  std::int64_t done = 0;
  std::optional<std::int64_t> total;
  std::optional<double> rate;
  std::optional<std::int64_t> eta_seconds;
  std::vector<EventRow> errors, warnings;
  std::vector<std::string> left_behind;
  std::vector<UploadRow> upload_rows;  // from the map, in its order; only `item` and status are set

  [[nodiscard]] bool over() const { return phase && is_terminal(*phase); }
  // How many uploads ended in, or are in, that state.
  [[nodiscard]] std::int64_t count(UploadState state) const;
};

struct NodeRow {
  std::string name, boot_id, agent_version;
  std::optional<std::int64_t> session;
  FreshnessRow freshness;
  std::int64_t uploads = 0;
};

[[nodiscard]] UploadRow read_upload(const nlohmann::json& document);
[[nodiscard]] BackupRow read_backup(const nlohmann::json& document);
[[nodiscard]] NodeRow read_node(const nlohmann::json& document);

// The string at `path` ("metadata/name"), escaped and bounded; "" if there is none.
[[nodiscard]] std::string text_at(const nlohmann::json& document, std::string_view path);

// The same document with every string and key escaped: for `-o json` and `-o yaml`.
[[nodiscard]] nlohmann::json escaped_copy(const nlohmann::json& document);

}  // namespace plimsoll::cli
