// api_json.cpp - rendering of the shared JSON documents.
#include "schemas/api_json.hpp"

#include <cstdio>

#include "schemas/text.hpp"

namespace plimsoll {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxJsonBytes = 1U << 20U;
constexpr int kMaxJsonDepth = 16;

void put_time(json& to, const char* key, const std::optional<WallTime>& time) {
  if (time && time->time_since_epoch().count() != 0) to[key] = rfc3339(*time);
}

void put_known(json& to, const char* key, std::int64_t value) {
  if (value >= 0) to[key] = value;
}

void put_text(json& to, const char* key, const std::string& text) {
  if (!text.empty()) to[key] = escape_text(text);
}

void put_estimates(json& to, const UploadView& view) {
  const auto& progress = view.progress;
  if (progress.items_to_complete > 0) to["itemsToComplete"] = progress.items_to_complete;
  const bool durable = view.outcome == Outcome::durable;
  if (const auto percent =
          percent_of(progress.items_completed, progress.items_to_complete, durable))
    to["percent"] = *percent;
  if (progress.completed || view.rate < 0) return;
  to["ratePerSecond"] = view.rate;
  const bool moving = view.state == UploadState::running || view.state == UploadState::waiting;
  const auto eta = eta_seconds(progress.items_completed, progress.items_to_complete, view.rate);
  if (moving && eta) to["etaSeconds"] = *eta;
}

json part_json(const PartView& part) {
  json row = {{"part", part.name},
              {"state", word(part.state)},
              {"itemsCompleted", part.counted.sample.completed},
              {"attempt", part.counted.ordinal},
              {"attempts", part.attempts}};
  if (part.counted.sample.total > 0) row["itemsToComplete"] = part.counted.sample.total;
  put_text(row, "err", part.err);
  put_text(row, "node", part.counted.node);
  return row;
}

json event_json(const UploadEvent& event) {
  json row = {{"severity", word(event.severity)}, {"text", escape_text(event.text)}};
  if (event.at_unix_ms != 0)
    row["time"] = rfc3339(WallTime(std::chrono::milliseconds(event.at_unix_ms)));
  return row;
}

}  // namespace

std::string rfc3339(WallTime time) {
  using namespace std::chrono;  // NOLINT: calendar arithmetic reads better
  // What lies outside years 1…9999 has no RFC 3339 form; the nearest one stands for it.
  const auto lowest = WallTime(milliseconds(-62135596800000));
  const auto highest = WallTime(milliseconds(253402300799999));
  const auto shown = std::clamp(time, lowest, highest);
  const auto day = floor<days>(shown);
  const year_month_day date(day);
  const hh_mm_ss clock(floor<milliseconds>(shown - day));
  char text[40];
  std::snprintf(
      text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
  return text;
}

json upload_status_json(const UploadDocument& upload) {
  const auto& view = upload.view;
  json status = {
      {"completed", view.progress.completed},
      {"err", escape_text(view.progress.err)},
      {"outcome", word(view.outcome)},
      {"itemsCompleted", view.progress.items_completed},
      {"units", escape_text(view.progress.units)},
      {"state", word(view.state)},
      {"reason", escape_text(view.reason)},
      {"freshness",
       {{"state", word(upload.freshness)}, {"ageSeconds", upload.freshness_age_seconds}}},
      {"node", escape_text(view.node)},
      {"attempt", view.attempt},
      {"attempts", view.attempts},
      {"segment", view.segment.is_zero() ? "" : to_hex(view.segment).substr(0, 16)},
      {"errors", view.sums.errors},
      {"warnings", view.sums.warnings}};
  put_estimates(status, view);
  put_time(status, "started", view.progress.started);
  put_time(status, "updated", view.progress.updated);
  put_time(status, "since", view.since);
  put_text(status, "description", view.progress.description);
  if (view.activity != Activity::unknown && !view.progress.completed)
    status["activity"] = word(view.activity);
  put_text(status, "storedAs", view.stored_as);
  put_known(status, "bytesRead", view.sums.read);
  put_known(status, "bytesSent", view.sums.sent);
  put_known(status, "filesDone", view.sums.files_done);
  put_known(status, "filesTotal", view.sums.files_total);
  if (upload.retrieval_error) {
    json error = {{"text", escape_text(upload.retrieval_error->text)}};
    put_time(error, "since", upload.retrieval_error->since);
    status["retrievalError"] = error;
  }
  if (view.parts.size() > 1) {
    json parts = json::array();
    for (const auto& part : view.parts)
      parts.push_back(part_json(part));
    status["partStatus"] = parts;
  }
  if (!upload.history.empty()) {
    json history = json::array();
    for (const auto& event : upload.history)
      history.push_back(event_json(event));
    status["history"] = history;
  }
  return status;
}

json upload_json(const UploadDocument& upload) {
  json metadata = {{"id", upload.id}};
  put_time(metadata, "creationTimestamp", upload.created);
  return {{"apiVersion", kApiVersion},
          {"kind", "Upload"},
          {"metadata", metadata},
          {"spec",
           {{"backup", escape_text(upload.backup)},
            {"backupUID", escape_text(upload.backup_uid)},
            {"item", escape_text(upload.item)},
            {"snapshotID", escape_text(upload.snapshot_id)},
            {"volumeID", escape_text(upload.volume_id)},
            {"parts", upload.parts}}},
          {"status", upload_status_json(upload)}};
}

json list_json(std::string_view kind, json items, std::string_view continue_token) {
  json metadata = json::object();
  if (!continue_token.empty()) metadata["continue"] = continue_token;
  return {{"apiVersion", kApiVersion}, {"kind", kind}, {"metadata", metadata}, {"items", items}};
}

json error_json(const Error& error) {
  json body = {{"apiVersion", kApiVersion},
               {"kind", "Error"},
               {"code", word(error.code)},
               {"message", escape_text(error.message)}};
  put_text(body, "field", error.field);
  put_text(body, "hint", error.hint);
  return body;
}

std::string dump_json(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<json> parse_json(std::string_view text, std::string_view what) {
  if (text.size() > kMaxJsonBytes)
    return fail(ErrorCode::too_large, std::string(what) + ": larger than 1 MiB");
  bool too_deep = false;
  const auto watch_depth = [&too_deep](int depth, json::parse_event_t, json&) {
    if (depth > kMaxJsonDepth) too_deep = true;
    return depth <= kMaxJsonDepth;
  };
  auto value = json::parse(text, watch_depth, false);
  if (too_deep)
    return fail(ErrorCode::bad_request, std::string(what) + ": nested deeper than 16 levels");
  if (value.is_discarded())
    return fail(ErrorCode::bad_request, std::string(what) + ": not valid JSON",
                "send one JSON value in UTF-8");
  return value;
}

}  // namespace plimsoll
