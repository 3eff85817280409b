// parse_rclone.cpp - `rclone … --use-json-log --stats D` (tried with 1.60) and the text of
// `--stats-one-line`, `--stats-one-line-date` and `-v`, all on stderr.
// What the recordings teach: the total grows while rclone lists and shrinks when a file fails, so
// 100 % with 30 errors exists and only the exit status has the truth; of something whose size
// nobody knows the total is what was done so far; errors may fall between rclone's own attempts.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "shim/run/exit_verdict.hpp"
#include "shim/run/json_fields.hpp"
#include "shim/run/number_text.hpp"
#include "shim/run/tools/parsers.hpp"
#include "shim/run/tools/record_parser.hpp"

namespace plimsoll {

namespace {

using nlohmann::json;

constexpr int kNothingToTransfer = 9;  // --error-on-no-transfer: all is there already

struct StatusText {
  int code;
  const char* text;
};

constexpr std::array kStatusTexts = {
    StatusText{2, "wrong usage"},          StatusText{3, "directory not found"},
    StatusText{4, "file not found"},       StatusText{5, "temporary error"},
    StatusText{6, "less serious errors"},  StatusText{7, "fatal error"},
    StatusText{8, "--max-transfer limit"},
};

// "2026/12/01 14:49:00 ", with which every line of the text log begins.
bool eat_date(std::string_view& text) {
  constexpr std::string_view kShape = "0000/00/00 00:00:00 ";
  if (text.size() < kShape.size()) return false;
  for (std::size_t i = 0; i < kShape.size(); ++i)
    if (kShape[i] == '0' ? !is_digit(text[i]) : text[i] != kShape[i]) return false;
  text.remove_prefix(kShape.size());
  return true;
}

// "NOTICE: ", "INFO  : "; what it returns is one of the table, "" if there is none.
std::string_view eat_level(std::string_view& text) {
  constexpr std::array<std::string_view, 8> kLevels = {"DEBUG",    "INFO",  "NOTICE",    "ERROR",
                                                       "CRITICAL", "ALERT", "EMERGENCY", "WARNING"};
  for (const std::string_view level : kLevels) {
    std::string_view rest = text;
    if (!eat(rest, level)) continue;
    eat_spaces(rest);
    if (!eat(rest, ":")) continue;
    eat_spaces(rest);
    text = rest;
    return level;
  }
  return "";
}

struct StatsText {
  std::int64_t done = 0;
  std::int64_t total = 0;
};

bool eat_percent(std::string_view& text) {
  return eat(text, "-") || (take_integer(text) >= 0 && eat(text, "%"));
}

// "X MiB / Y MiB, p%, v MiB/s, ETA 3s (xfr#n/m)": from its first byte to its last, so that no name
// of a file that was copied passes for it.
bool read_stats_text(std::string_view text, StatsText& stats) {
  if (eat(text, "Transferred:")) eat_spaces(text);
  stats.done = take_size(text);
  if (stats.done < 0 || !eat(text, " / ")) return false;
  stats.total = take_size(text);
  if (stats.total < 0 || !eat(text, ", ") || !eat_percent(text) || !eat(text, ", ")) return false;
  if (take_size(text) < 0 || !eat(text, "/s, ETA ")) return false;
  text.remove_prefix(std::min(text.find(' '), text.size()));
  return text.empty() ||
         ((begins_with(text, " (xfr#") || begins_with(text, " (chk#")) && text.back() == ')');
}

class RcloneParser : public RecordParser {
 public:
  RcloneParser(bool dry_run, bool endless) : dry_run_(dry_run), endless_(endless) {}

 private:
  void take(Stream stream, std::string_view text, Events& events) override;
  Terminal judge(ExitStatus exit, bool asked_to_stop, Events& events) override;

  void take_json(const json& record, Events& events);
  void take_stats(const json& stats, Events& events);
  void take_message(const json& record, Events& events);
  void take_text(std::string_view text, Events& events);
  [[nodiscard]] std::string reason(ExitStatus exit) const;

  std::string fatal_;       // the last line of all, which carries no level
  std::string last_error_;  // the last record of level error
  bool dry_run_;
  bool endless_;  // rcat: text lines print what was done as the total
};

void RcloneParser::take(Stream, std::string_view text, Events& events) {
  if (text.front() != '{') return take_text(text, events);
  const json record = json::parse(text, nullptr, false);
  if (record.is_object()) return take_json(record, events);
  ++counts_.malformed;
}

void RcloneParser::take_json(const json& record, Events& events) {
  const auto stats = record.find("stats");
  if (stats != record.end() && stats->is_object()) return take_stats(*stats, events);
  if (record.contains("level")) return take_message(record, events);
  ++counts_.unknown_types;
}

void RcloneParser::take_stats(const json& stats, Events& events) {
  const auto transferring = stats.find("transferring");
  const bool unsized = transferring != stats.end() && transferring->is_array() &&
                       std::any_of(transferring->begin(), transferring->end(), [](const json& one) {
                         const auto size = one.is_object() ? one.find("size") : one.end();
                         return one.is_object() && size != one.end() && size->is_number_integer() &&
                                size->get<std::int64_t>() < 0;
                       });
  sample_.files_done = std::max(sample_.files_done, count_of(stats, "transfers"));
  const std::int64_t files_total = count_of(stats, "totalTransfers");
  sample_.files_total = files_total == 0 ? -1 : std::max(files_total, sample_.files_done);
  const std::int64_t errors = std::min<std::int64_t>(count_of(stats, "errors"), UINT32_MAX);
  sample_.errors = std::max(sample_.errors, static_cast<std::uint32_t>(errors));
  sample_.description.clear();
  if (transferring != stats.end() && transferring->is_array() && !transferring->empty() &&
      transferring->front().is_object())
    sample_.description = text_of(transferring->front(), "name", kMaxDescriptionBytes);
  publish(count_of(stats, "bytes"), unsized ? 0 : count_of(stats, "totalBytes"), events);
}

// Every copied file is a message of level info: those are counted by `transfers` already.
void RcloneParser::take_message(const json& record, Events& events) {
  const std::string level = text_of(record, "level", 16);
  if (level == "info" || level == "debug") return;
  std::string text = text_of(record, "object", kMaxEventTextBytes);
  text += (text.empty() ? "" : ": ") + text_of(record, "msg", kMaxEventTextBytes);
  const bool notice = level == "warning" || level == "notice";
  if (!notice) last_error_ = text_of(record, "msg", kMaxEventTextBytes);
  say(notice ? Severity::warning : Severity::error, text, events);
}

void RcloneParser::take_text(std::string_view text, Events& events) {
  const std::string_view whole = text;
  const bool dated = eat_date(text);
  const std::string_view level = dated ? eat_level(text) : std::string_view();
  if (eat_date(text) && eat(text, "-")) eat_spaces(text);  // --stats-one-line-date
  StatsText stats;
  if (read_stats_text(text, stats)) return publish(stats.done, endless_ ? 0 : stats.total, events);
  ++counts_.text_lines;
  if (level == "NOTICE" || level == "WARNING") return say(Severity::warning, text, events);
  if (level == "INFO" || level == "DEBUG") return;
  if (!level.empty()) {
    last_error_ = clean_utf8(text, kMaxEventTextBytes);
    return say(Severity::error, text, events);
  }
  const bool usage = eat(text, "Error: ");
  if (!dated && !usage) return;  // a line of a block of statistics, or of the usage text
  fatal_ = clean_utf8(text, kMaxEventTextBytes);
  say(Severity::error, whole, events);
}

std::string RcloneParser::reason(ExitStatus exit) const {
  if (exit.signal != 0) return "";
  const std::string& words = fatal_.empty() ? last_error_ : fatal_;
  for (const auto& row : kStatusTexts)
    if (row.code == exit.code) return row.text + (words.empty() ? "" : ": " + words);
  return words;
}

Terminal RcloneParser::judge(ExitStatus exit, bool asked_to_stop, Events&) {
  const bool nothing_new = exit.signal == 0 && exit.code == kNothingToTransfer && !asked_to_stop;
  Terminal end =
      judge_exit(nothing_new ? ExitStatus{} : exit, asked_to_stop, "rclone", reason(exit));
  if (end.outcome == Outcome::durable && dry_run_) {
    end.outcome = Outcome::failed;
    end.err = "rclone: dry run, nothing was stored";
  }
  return end;
}

}  // namespace

std::unique_ptr<ToolParser> make_rclone_parser(const std::vector<std::string>& argv) {
  bool dry_run = false;
  bool endless = false;
  for (const std::string& word : argv) {
    dry_run = dry_run || word == "--dry-run" || word == "--dry-run=true" || word == "-n";
    endless = endless || word == "rcat";
  }
  return std::make_unique<RcloneParser>(dry_run, endless);
}

}  // namespace plimsoll
