// render_list.cpp - which columns there are, and what gives way on a narrow terminal.
#include "cli/render_list.hpp"

#include <functional>
#include <string>
#include <utility>

#include "cli/amounts.hpp"
#include "cli/render_words.hpp"
#include "cli/table.hpp"

namespace plimsoll::cli {
namespace {

// A column and how a row's cell of it is made.
template <typename Row>
struct Field {
  Column column;
  std::function<Span(const Row&, WallTime now)> cell;
};

template <typename Row>
Lines render_fields(const std::vector<Field<Row>>& fields, const std::vector<Row>& rows,
                    const ListLook& look) {
  Table table;
  for (const auto& field : fields)
    table.columns.push_back(field.column);
  for (const auto& row : rows) {
    std::vector<Span> cells;
    for (const auto& field : fields) {
      auto cell = field.cell(row, look.now);
      if (cell.text.empty()) cell.text = "-";
      cells.push_back(std::move(cell));
    }
    table.rows.push_back(std::move(cells));
  }
  return render_table(table, {look.screen, look.headings, look.indent});
}

std::string age_of_knowledge(const FreshnessRow& freshness) {
  if (freshness.state == Freshness::live) return "live";
  return std::string(word(freshness.state)) + " " + human_duration(seconds(freshness.age_seconds));
}

std::string freshness_text(const UploadRow& upload) {
  const bool nobody_yet = upload.state == UploadState::pending;
  return upload.over() || nobody_yet ? "" : age_of_knowledge(upload.freshness);
}

std::string why(const UploadRow& upload) {
  if (!upload.err.empty()) return upload.err;
  if (!upload.retrieval_error.empty()) return upload.retrieval_error;
  return upload.over() ? "" : upload.reason;
}

// "?" while the total is not known; "-" before there is anything to tell.
std::string percent_cell(std::optional<double> percent, std::int64_t done) {
  return !percent && done == 0 ? "-" : human_percent(percent);
}

using UploadField = Field<UploadRow>;
using BackupField = Field<BackupRow>;
using NodeField = Field<NodeRow>;

UploadField upload_text(Column column, std::string UploadRow::*member) {
  return {std::move(column),
          [member](const UploadRow& row, WallTime) { return Span{row.*member}; }};
}

std::vector<UploadField> name_fields(bool with_backup) {
  std::vector<UploadField> fields;
  if (with_backup) {
    fields.push_back(upload_text({"ID", false, 0, 5}, &UploadRow::id));
    fields.push_back(upload_text({"BACKUP", false, 10, 0}, &UploadRow::backup));
  }
  fields.push_back(upload_text({"ITEM", false, 14, 0}, &UploadRow::item));
  return fields;
}

std::vector<UploadField> progress_fields() {
  return {
      {{"STATE"},
       [](const UploadRow& u, WallTime) {
         return Span{u.state_word, tone_of(u)};
       }},
      {{"DONE/TOTAL", true, 0, 4},
       [](const UploadRow& u, WallTime) { return Span{human_amount(amount_of(u))}; }},
      {{"%", true},
       [](const UploadRow& u, WallTime) { return Span{percent_cell(u.percent, u.done)}; }},
      {{"RATE", true, 0, 2},
       [](const UploadRow& u, WallTime) { return Span{human_rate(u.rate, u.units)}; }},
      {{"ETA", true, 0, 3},
       [](const UploadRow& u, WallTime) { return Span{human_duration(u.eta_seconds)}; }},
      {{"AGE", true, 0, 1},
       [](const UploadRow& u, WallTime now) { return Span{human_age(u.updated, now)}; }},
      {{"FRESH", false, 0, 6},
       [](const UploadRow& u, WallTime) {
         return Span{freshness_text(u), Tone::dim};
       }},
  };
}

UploadField why_field() {
  return {{"WHY", false, 16, 8}, [](const UploadRow& u, WallTime) { return Span{why(u)}; }};
}

std::vector<UploadField> wide_upload_fields() {
  return {upload_text({"NODE", false, 8, 9}, &UploadRow::node),
          {{"TRY", true, 0, 12},
           [](const UploadRow& u, WallTime) {
             return Span{u.attempt > 0 ? std::to_string(u.attempt) : ""};
           }},
          upload_text({"SNAPSHOT", false, 10, 11}, &UploadRow::snapshot_id),
          upload_text({"VOLUME", false, 10, 13}, &UploadRow::volume_id),
          upload_text({"STORED AS", false, 8, 10}, &UploadRow::stored_as),
          why_field()};
}

Lines render_upload_fields(const std::vector<UploadRow>& uploads, const ListLook& look,
                           bool with_backup) {
  auto fields = name_fields(with_backup);
  for (auto& field : progress_fields())
    fields.push_back(std::move(field));
  if (!with_backup) fields.push_back(why_field());
  if (with_backup && look.wide)
    for (auto& field : wide_upload_fields())
      fields.push_back(std::move(field));
  return render_fields(fields, uploads, look);
}

std::vector<BackupField> backup_fields() {
  return {
      {{"NAME", false, 12}, [](const BackupRow& b, WallTime) { return Span{b.name}; }},
      {{"PHASE"},
       [](const BackupRow& b, WallTime) {
         return Span{b.phase_word, tone_of(b)};
       }},
      {{"UPLOADS", true, 0, 4},
       [](const BackupRow& b, WallTime) {
         return Span{std::to_string(b.count(UploadState::completed)) + "/" +
                     std::to_string(b.uploads)};
       }},
      {{"DONE/TOTAL", true, 0, 3},
       [](const BackupRow& b, WallTime) { return Span{human_amount(amount_of(b))}; }},
      {{"%", true, 0, 1},
       [](const BackupRow& b, WallTime) {
         return Span{percent_cell(percent_of_backup(b), b.done)};
       }},
      {{"RATE", true, 0, 6},
       [](const BackupRow& b, WallTime) { return Span{human_rate(b.rate, "bytes")}; }},
      {{"ETA", true, 0, 2},
       [](const BackupRow& b, WallTime) { return Span{human_duration(b.eta_seconds)}; }},
      {{"AGE", true, 0, 5},
       [](const BackupRow& b, WallTime now) { return Span{human_age(b.created, now)}; }},
      {{"NOTE"},
       [](const BackupRow& b, WallTime) {
         return Span{restorable_note(b), Tone::dim};
       }},
  };
}

std::vector<BackupField> wide_backup_fields() {
  return {{{"SEAL"}, [](const BackupRow& b, WallTime) { return Span{b.seal}; }},
          {{"SOURCE"}, [](const BackupRow& b, WallTime) { return Span{b.source}; }},
          {{"ERRORS", true},
           [](const BackupRow& b, WallTime) { return Span{std::to_string(b.errors.size())}; }},
          {{"UID", false, 8, 7}, [](const BackupRow& b, WallTime) { return Span{b.uid}; }}};
}

}  // namespace

Lines render_uploads(const std::vector<UploadRow>& uploads, const ListLook& look) {
  return render_upload_fields(uploads, look, true);
}

Lines render_uploads_of_backup(const std::vector<UploadRow>& uploads, const ListLook& look) {
  return render_upload_fields(uploads, look, false);
}

Lines render_backups(const std::vector<BackupRow>& backups, const ListLook& look) {
  auto fields = backup_fields();
  if (look.wide)
    for (auto& field : wide_backup_fields())
      fields.push_back(std::move(field));
  return render_fields(fields, backups, look);
}

Lines render_nodes(const std::vector<NodeRow>& nodes, const ListLook& look) {
  const std::vector<NodeField> fields = {
      {{"NAME", false, 12}, [](const NodeRow& n, WallTime) { return Span{n.name}; }},
      {{"FRESH"},
       [](const NodeRow& n, WallTime) {
         const bool live = n.freshness.state == Freshness::live;
         return Span{age_of_knowledge(n.freshness), live ? Tone::green : Tone::yellow};
       }},
      {{"UPLOADS", true},
       [](const NodeRow& n, WallTime) { return Span{std::to_string(n.uploads)}; }},
      {{"SESSION", true, 0, 2},
       [](const NodeRow& n, WallTime) {
         return Span{n.session ? std::to_string(*n.session) : ""};
       }},
      {{"AGENT", false, 0, 1}, [](const NodeRow& n, WallTime) { return Span{n.agent_version}; }},
      {{"BOOT", false, 8, 3}, [](const NodeRow& n, WallTime) { return Span{n.boot_id}; }}};
  return render_fields(fields, nodes, look);
}

}  // namespace plimsoll::cli
