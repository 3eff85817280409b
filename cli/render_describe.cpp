// render_describe.cpp - labelled fields first, then lists under a heading; what is not known is
// left out.
#include "cli/render_describe.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/amounts.hpp"
#include "cli/render_list.hpp"
#include "cli/render_words.hpp"
#include "cli/table.hpp"
#include "schemas/api_json.hpp"

namespace plimsoll::cli {
namespace {

constexpr std::size_t kLabelWidth = 13;
constexpr std::size_t kIndent = 2;
constexpr std::size_t kBarWidth = 30;
constexpr std::size_t kShownEvents = 20;

// Collects the page; fields whose value is not known do not appear.
class Page {
 public:
  explicit Page(const DescribeLook& look) : look_(look) {}

  void title(std::string_view kind, const std::string& name, Span state, const std::string& note) {
    Line line = {{std::string(kind) + " ", Tone::plain}, {name, Tone::bold}, {"  "}, state};
    if (!note.empty()) line.push_back({"  " + note, Tone::dim});
    lines_.push_back(std::move(line));
    lines_.emplace_back();
  }

  void field(std::string_view label, Line value) {
    Line line = {
        {std::string(kIndent, ' ') + pad_right(std::string(label), kLabelWidth), Tone::dim}};
    line.insert(line.end(), value.begin(), value.end());
    lines_.push_back(std::move(line));
  }

  void text(std::string_view label, const std::string& value, Tone tone = Tone::plain) {
    if (!value.empty() && value != "-") field(label, {{value, tone}});
  }

  void time(std::string_view label, std::optional<WallTime> when) {
    if (!when) return;
    field(label, {{human_ago(*when, look_.now) + "  "}, {rfc3339(*when), Tone::dim}});
  }

  void heading(std::string_view text) {
    lines_.emplace_back();
    lines_.push_back({{std::string(kIndent, ' ') + std::string(text), Tone::bold}});
  }

  void add(const Lines& more) { lines_.insert(lines_.end(), more.begin(), more.end()); }
  void add(Line line) { lines_.push_back(std::move(line)); }

  void progress(std::optional<double> percent, const std::string& amount, Tone tone) {
    Line value;
    const auto fraction = percent ? std::optional(*percent / 100) : std::nullopt;
    if (fraction) {
      if (!look_.screen.utf8) value.push_back({"["});
      for (auto& span : bar(fraction, {bar_width(), look_.screen.utf8, 0, tone}))
        value.push_back(std::move(span));
      if (!look_.screen.utf8) value.push_back({"]"});
      value.push_back({"  " + human_percent(percent) + "  "});
    }
    if (amount != "-") value.push_back({amount});
    if (!value.empty()) field("Progress", std::move(value));
  }

  void events(std::string_view title, const std::vector<EventRow>& events) {
    if (events.empty()) return;
    const auto left_out = events.size() > kShownEvents ? events.size() - kShownEvents : 0;
    heading(title);
    if (left_out > 0)
      add(Line{{"    … " + std::to_string(left_out) + " older ones: -o json", Tone::dim}});
    for (auto event = events.begin() + static_cast<std::ptrdiff_t>(left_out); event != events.end();
         ++event)
      add(event_line(*event, source_width(events)));
  }

  [[nodiscard]] Lines take() { return std::move(lines_); }
  [[nodiscard]] const DescribeLook& look() const { return look_; }

 private:
  [[nodiscard]] std::size_t bar_width() const {
    const auto width = look_.screen.width;
    return width == 0 || width >= 80 ? kBarWidth : std::max<std::size_t>(width / 4, 8);
  }

  static std::size_t source_width(const std::vector<EventRow>& events) {
    std::size_t width = 0;
    for (const auto& event : events)
      width = std::max(width, display_width(event.source));
    return width;
  }

  static Line event_line(const EventRow& event, std::size_t source_width) {
    Line line = {{"    "}};
    if (event.time) line.push_back({clock_seconds(*event.time) + "Z  ", Tone::dim});
    const bool bad = event.source == word(Severity::error);
    const bool doubtful = event.source == word(Severity::warning);
    const auto tone = bad ? Tone::red : doubtful ? Tone::yellow : Tone::dim;
    if (source_width > 0) line.push_back({pad_right(event.source, source_width) + "  ", tone});
    line.push_back({event.text});
    return line;
  }

  DescribeLook look_;
  Lines lines_;
};

std::string joined(const std::vector<std::string>& pieces, std::string_view between) {
  std::string text;
  for (const auto& piece : pieces)
    if (!piece.empty()) text.append(text.empty() ? "" : between).append(piece);
  return text;
}

std::string rate_and_eta(std::optional<double> rate, std::string_view units,
                         std::optional<std::int64_t> eta_seconds, WallTime now) {
  if (!rate) return "";
  auto text = human_rate(rate, units);
  if (!eta_seconds) return text;
  const auto end = clock_minutes(now + seconds(*eta_seconds));
  return text + ", done in " + human_duration(eta_seconds) + " (" + end + " UTC)";
}

std::string files_text(const UploadRow& upload) {
  if (!upload.files_done) return "";
  const auto total = upload.files_total ? std::to_string(*upload.files_total) : "?";
  return std::to_string(*upload.files_done) + " of " + total;
}

std::string known_bytes(std::optional<std::int64_t> bytes, std::string_view what) {
  return bytes ? human_bytes(*bytes) + " " + std::string(what) : "";
}

std::string freshness_line(const UploadRow& upload) {
  if (upload.over() || upload.state == UploadState::pending) return "";
  if (upload.freshness.state == Freshness::live) return "live";
  return std::string(word(upload.freshness.state)) + ": no word from " +
         (upload.node.empty() ? std::string("its node") : upload.node) + " for " +
         human_duration(seconds(upload.freshness.age_seconds));
}

std::string plural(std::int64_t number, const std::string& noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

std::string attempt_text(const UploadRow& upload) {
  if (upload.attempts == 0) return "";
  return std::to_string(upload.attempt) + " of " + std::to_string(upload.attempts);
}

std::string trouble_counts(const UploadRow& upload) {
  if (upload.errors == 0 && upload.warnings == 0) return "";
  return plural(upload.errors, "error") + ", " + plural(upload.warnings, "warning");
}

void add_upload_fields(Page& page, const UploadRow& upload) {
  const auto now = page.look().now;
  page.text("Backup", upload.backup);
  page.text("Item", upload.item);
  page.text("Snapshot", upload.snapshot_id);
  page.text("Volume", upload.volume_id);
  page.text("Stored as", upload.stored_as);
  page.progress(upload.percent, human_amount(amount_of(upload)), tone_of(upload));
  page.text("Rate", rate_and_eta(upload.rate, upload.units, upload.eta_seconds, now));
  page.text("Bytes",
            joined({known_bytes(upload.bytes_read, "read"), known_bytes(upload.bytes_sent, "sent")},
                   ", "));
  page.text("Files", files_text(upload));
  page.text("Doing", upload.description);
  page.text("Reason", upload.reason);
  page.time("Since", upload.since);
  page.text("Error", upload.err, Tone::red);
  page.text("Counted", trouble_counts(upload));
  page.text("Not found out", upload.retrieval_error, Tone::yellow);
  page.text("Knowledge", freshness_line(upload),
            upload.freshness.state == Freshness::live ? Tone::plain : Tone::yellow);
  page.time("Started", upload.started);
  page.time("Updated", upload.updated);
  page.text("Node", upload.node);
  page.text("Attempt", attempt_text(upload));
  page.text("Segment", upload.segment);
}

Lines render_parts(const UploadRow& upload, const DescribeLook& look) {
  Table table;
  table.columns = {{"PART", false, 8},    {"STATE"},
                   {"DONE/TOTAL", true},  {"TRY", true, 0, 2},
                   {"NODE", false, 8, 1}, {"WHY", false, 12, 3}};
  for (const auto& part : upload.part_rows)
    table.rows.push_back({{part.name.empty() ? "-" : part.name},
                          {part.state_word},
                          {human_amount({part.done, part.total, upload.units})},
                          {part.attempt > 0 ? std::to_string(part.attempt) : "-"},
                          {part.node.empty() ? "-" : part.node},
                          {part.err.empty() ? "-" : part.err}});
  return render_table(table, {look.screen, true, 2 * kIndent});
}

}  // namespace

Lines render_upload(const UploadRow& upload, const DescribeLook& look) {
  Page page(look);
  page.title("Upload", upload.id, {state_text(upload), tone_of(upload)}, "");
  add_upload_fields(page, upload);
  if (!upload.part_rows.empty()) {
    page.heading("Parts");
    page.add(render_parts(upload, look));
  }
  page.events("History", upload.history);
  return page.take();
}

Lines render_backup(const BackupRow& backup, const DescribeLook& look) {
  Page page(look);
  page.title("Backup", backup.name, {backup.phase_word, tone_of(backup)}, restorable_note(backup));
  page.text("UID", backup.uid);
  page.time("Created", backup.created);
  page.time("Started", backup.started);
  page.time("Ended", backup.ended);
  page.text("Sealed by", backup.seal.empty() ? "" : backup.seal + ", source " + backup.source);
  page.text("Uploads", counts_text(backup, ", "));
  page.progress(percent_of_backup(backup), human_amount(amount_of(backup)), tone_of(backup));
  page.text("Rate", rate_and_eta(backup.rate, "bytes", backup.eta_seconds, look.now));
  if (backup.unknown > 0)
    page.text("Unknown", plural(backup.unknown, "upload") + " without a known total", Tone::dim);
  page.events("Errors", backup.errors);
  page.events("Warnings", backup.warnings);
  if (!backup.left_behind.empty()) page.heading("Left behind");
  for (const auto& thing : backup.left_behind)
    page.add(Line{{"    " + thing}});
  if (!backup.upload_rows.empty()) {
    page.heading("Uploads");
    ListLook list{look.screen, look.now, false, true, 2 * kIndent};
    page.add(render_uploads_of_backup(backup.upload_rows, list));
  }
  return page.take();
}

}  // namespace plimsoll::cli
