// parse_restic.cpp - `restic backup --json`, versions 0.9 to 0.19.
// One JSON object a line on stdout, error objects on stderr, plain text anywhere between. What the
// versions teach: a missing number is zero and a missing total unknown; the last status may stand
// below 100 %, only the summary has the truth; message types and fields may come new at any time;
// names inside are hostile, so a line is parsed as JSON or it is text.
#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>

#include "schemas/text.hpp"
#include "schemas/text_bounds.hpp"
#include "shim/run/exit_verdict.hpp"
#include "shim/run/json_fields.hpp"
#include "shim/run/number_text.hpp"
#include "shim/run/record_splitter.hpp"
#include "shim/run/tools/parsers.hpp"

namespace plimsoll {

namespace {

using nlohmann::json;

constexpr int kIncompleteStatus = 3;

struct StatusText {
  int code;
  const char* text;
};

constexpr std::array kStatusTexts = {
    StatusText{2, "Go runtime error"},
    StatusText{10, "the repository does not exist"},
    StatusText{11, "the repository is locked"},
    StatusText{12, "wrong password"},
};

// The error object of 0.9–0.17.0 is Go's own ({} or {"Op","Path","Err":13}), later {"message":"…"}.
std::string error_text(const json& record) {
  const auto found = record.find("error");
  if (found == record.end()) return "";
  if (found->is_string())
    return clean_utf8(found->get_ref<const std::string&>(), kMaxEventTextBytes);
  if (!found->is_object()) return "";
  std::string text = text_of(*found, "message", kMaxEventTextBytes);
  const std::string operation = text_of(*found, "Op", kMaxEventTextBytes);
  if (!text.empty() || operation.empty()) return text;
  text = operation;
  const std::int64_t number = count_of(*found, "Err");
  const char* cause =
      number > 0 && number < 4096 ? strerrordesc_np(static_cast<int>(number)) : nullptr;
  if (cause != nullptr) text += std::string(": ") + cause;
  return text;
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

class ResticParser : public ToolParser {
 public:
  explicit ResticParser(bool dry_run) : dry_run_(dry_run) {}

  void feed(Stream stream, std::string_view bytes, std::vector<ToolEvent>& events) override {
    splitter(stream).feed(bytes, [&](const Record& record) { take(record, events); });
  }

  Terminal finish(ExitStatus exit, bool asked_to_stop, std::vector<ToolEvent>& events) override;

  [[nodiscard]] ParserCounts counts() const override { return counts_; }

 private:
  RecordSplitter& splitter(Stream stream) { return stream == Stream::out ? out_ : err_; }

  void take(const Record& record, std::vector<ToolEvent>& events);
  void take_tail(const Record& record, std::vector<ToolEvent>& events);
  void take_json(const json& record, std::vector<ToolEvent>& events);
  void take_text(std::string_view text, std::vector<ToolEvent>& events);
  void take_status(const json& record, std::vector<ToolEvent>& events);
  void take_scan_end(const json& record, std::vector<ToolEvent>& events);
  void take_error(const json& record, std::vector<ToolEvent>& events);
  void take_exit_error(const json& record, std::vector<ToolEvent>& events);
  void take_summary(const json& record, std::vector<ToolEvent>& events);
  void count_error();

  [[nodiscard]] std::string reason(ExitStatus exit) const;
  [[nodiscard]] std::string incomplete_text() const;
  [[nodiscard]] Terminal judge(ExitStatus exit, bool asked_to_stop) const;

  RecordSplitter out_, err_;
  ParserCounts counts_;
  Sample sample_;
  std::uint32_t unreadable_ = 0;  // error lines, by our own count
  std::string fatal_;             // the first "Fatal:" line or exit_error message
  std::string last_line_;         // the last plain text line
  std::string snapshot_id_;
  bool dry_run_;
  bool seen_record_ = false;
  bool seen_summary_ = false;
};

void ResticParser::take(const Record& record, std::vector<ToolEvent>& events) {
  if (record.truncated) ++counts_.truncated;
  const std::size_t begin = record.text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return;
  const std::string_view text = record.text.substr(begin);
  const bool object_like = text.front() == '{';
  if (record.truncated && object_like) return;
  const json parsed = json::parse(text, nullptr, false);
  if (parsed.is_object()) return take_json(parsed, events);
  if (parsed.is_discarded() && !object_like) return take_text(text, events);
  ++counts_.malformed;  // a broken object, or a bare scalar or array: no message of restic's
  if (object_like)
    events.emplace_back(Diagnostic{Severity::info, clean_utf8(text, kMaxEventTextBytes)});
}

// What no newline ended: a whole object is one all the same, a begun one was cut off.
void ResticParser::take_tail(const Record& record, std::vector<ToolEvent>& events) {
  if (record.text.front() != '{' || json::accept(record.text)) return take(record, events);
  ++counts_.truncated;
}

void ResticParser::take_json(const json& record, std::vector<ToolEvent>& events) {
  const std::string type = text_of(record, "message_type", 32);
  if (type == "status") {
    seen_record_ = true;
    if (text_of(record, "action", 32) == "scan_finished") return take_scan_end(record, events);
    return take_status(record, events);
  }
  if (type == "summary") return take_summary(record, events);
  if (type == "error") return take_error(record, events);
  if (type == "exit_error") return take_exit_error(record, events);
  if (type == "verbose_status") {
    if (text_of(record, "action", 32) == "scan_finished") take_scan_end(record, events);
    return;
  }
  ++counts_.unknown_types;
}

void ResticParser::take_text(std::string_view text, std::vector<ToolEvent>& events) {
  ++counts_.text_lines;
  Severity severity = Severity::info;
  last_line_ = clean_utf8(text, kMaxEventTextBytes);
  if (begins_with(text, "Fatal: ")) {
    severity = Severity::error;
    if (fatal_.empty()) fatal_ = clean_utf8(text.substr(7), kMaxEventTextBytes);
  } else if (ends_with(text, " does not exist, skipping")) {
    severity = Severity::warning;  // 0.14 then ends with status 0, though something is missing
    count_error();
  } else if (begins_with(text, "Warning: ")) {
    severity = Severity::warning;
  }
  events.emplace_back(Diagnostic{severity, last_line_});
}

void ResticParser::take_status(const json& record, std::vector<ToolEvent>& events) {
  sample_.completed = std::max(sample_.completed, count_of(record, "bytes_done"));
  const std::int64_t total = count_of(record, "total_bytes");
  sample_.total = total == 0 ? 0 : std::max(total, sample_.completed);
  sample_.read = sample_.completed;
  sample_.files_done = std::max(sample_.files_done, count_of(record, "files_done"));
  const std::int64_t files_total = count_of(record, "total_files");
  sample_.files_total = files_total == 0 ? -1 : std::max(files_total, sample_.files_done);
  const std::int64_t errors = std::min<std::int64_t>(count_of(record, "error_count"), UINT32_MAX);
  sample_.errors = std::max(sample_.errors, static_cast<std::uint32_t>(errors));
  const bool all_read = sample_.total > 0 && sample_.completed == sample_.total;
  sample_.activity = all_read                ? Activity::finishing
                     : sample_.completed > 0 ? Activity::sending
                                             : Activity::scanning;
  const auto files = record.find("current_files");
  sample_.description.clear();
  if (files != record.end() && files->is_array() && !files->empty() && files->front().is_string())
    sample_.description =
        clean_utf8(files->front().get_ref<const std::string&>(), kMaxDescriptionBytes);
  events.emplace_back(sample_);
}

// "scan_finished" (a status in 0.14 and 0.15) knows the totals only; its other numbers are no
// zeros.
void ResticParser::take_scan_end(const json& record, std::vector<ToolEvent>& events) {
  seen_record_ = true;
  const std::int64_t total = count_of(record, "data_size");
  if (total > 0) sample_.total = std::max(total, sample_.completed);
  const std::int64_t files_total = count_of(record, "total_files");
  if (files_total > 0) sample_.files_total = std::max(files_total, sample_.files_done);
  events.emplace_back(sample_);
}

void ResticParser::count_error() {
  if (unreadable_ < UINT32_MAX) ++unreadable_;
  sample_.errors = std::max(sample_.errors, unreadable_);
}

void ResticParser::take_error(const json& record, std::vector<ToolEvent>& events) {
  count_error();  // no promise of a summary: --quiet prints errors too
  std::string text = text_of(record, "item", kMaxEventTextBytes);
  const std::string cause = error_text(record);
  if (!cause.empty()) text += (text.empty() ? "" : ": ") + cause;
  if (text.empty()) text = "an item could not be read";
  events.emplace_back(Diagnostic{Severity::error, clean_utf8(text, kMaxEventTextBytes)});
  events.emplace_back(sample_);
}

void ResticParser::take_exit_error(const json& record, std::vector<ToolEvent>& events) {
  std::string text = text_of(record, "message", kMaxEventTextBytes);
  if (begins_with(text, "Fatal: ")) text.erase(0, 7);
  if (text.empty()) return;
  fatal_ = text;
  const bool partial = count_of(record, "code") == kIncompleteStatus;
  events.emplace_back(Diagnostic{partial ? Severity::warning : Severity::error, text});
}

void ResticParser::take_summary(const json& record, std::vector<ToolEvent>& events) {
  seen_record_ = seen_summary_ = true;
  // 0.9 says zero here for a pipe: what was counted before is never overwritten by less.
  sample_.completed = std::max(sample_.completed, count_of(record, "total_bytes_processed"));
  sample_.read = sample_.completed;
  if (sample_.total > 0) sample_.total = std::max(sample_.total, sample_.completed);
  sample_.files_done = std::max(sample_.files_done, count_of(record, "total_files_processed"));
  if (sample_.files_total >= 0)
    sample_.files_total = std::max(sample_.files_total, sample_.files_done);
  if (record.contains("data_added_packed")) sample_.sent = count_of(record, "data_added_packed");
  sample_.activity = Activity::finishing;
  sample_.description.clear();
  snapshot_id_ = text_of(record, "snapshot_id", kMaxStoredAsBytes);
  dry_run_ = dry_run_ || true_of(record, "dry_run");
  events.emplace_back(sample_);
}

std::string ResticParser::reason(ExitStatus exit) const {
  const std::string& words = fatal_.empty() ? last_line_ : fatal_;
  if (exit.signal != 0) return "";
  for (const auto& row : kStatusTexts)
    if (row.code == exit.code) return row.text + (words.empty() ? "" : ": " + words);
  return words;
}

std::string ResticParser::incomplete_text() const {
  const std::uint32_t items = std::max(sample_.errors, unreadable_);
  std::string text = "incomplete: ";
  if (items == 0) text += "some source data could not be read";
  if (items > 0) text += std::to_string(items) + " unreadable item" + (items == 1 ? "" : "s");
  if (!snapshot_id_.empty()) text += ", snapshot " + snapshot_id_ + " kept";
  return clean_utf8(text, kMaxErrBytes);
}

Terminal ResticParser::judge(ExitStatus exit, bool asked_to_stop) const {
  Terminal end = judge_exit(exit, asked_to_stop, "restic", reason(exit));
  if (end.outcome == Outcome::failed && exit.signal == 0 && exit.code == kIncompleteStatus) {
    end.outcome = Outcome::incomplete;
    end.err = incomplete_text();
  }
  if (end.outcome != Outcome::durable) return end;
  if (dry_run_) {
    end.outcome = Outcome::failed;
    end.err = "restic: dry run, nothing was stored";
  } else if (seen_record_ && !seen_summary_) {
    end.outcome = asked_to_stop ? Outcome::canceled : Outcome::failed;
    end.err =
        asked_to_stop ? "canceled: restic: no summary" : "restic: exit status 0 without a summary";
  } else if (sample_.errors > 0) {  // 0.9 ends with 0 after unreadable files
    end.outcome = Outcome::incomplete;
    end.err = incomplete_text();
  }
  return end;
}

Terminal ResticParser::finish(ExitStatus exit, bool asked_to_stop, std::vector<ToolEvent>& events) {
  out_.finish([&](const Record& record) { take_tail(record, events); });
  err_.finish([&](const Record& record) { take_tail(record, events); });
  Terminal end = judge(exit, asked_to_stop);
  const bool saved =
      end.outcome == Outcome::durable || (end.outcome == Outcome::incomplete && seen_summary_);
  end.completed = sample_.completed;
  end.total = saved ? sample_.completed : sample_.total;
  end.errors = sample_.errors;
  end.warnings = sample_.warnings;
  if (saved || end.outcome == Outcome::incomplete) end.stored_as = snapshot_id_;
  return end;
}

}  // namespace

std::unique_ptr<ToolParser> make_restic_parser(const std::vector<std::string>& argv) {
  const bool dry_run = std::any_of(argv.begin(), argv.end(), [](const std::string& word) {
    return word == "--dry-run" || word == "-n";
  });
  return std::make_unique<ResticParser>(dry_run);
}

}  // namespace plimsoll
