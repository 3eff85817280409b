// parse_borg.cpp - `borg create --log-json --progress` (tried with 1.2): JSON records on stderr,
// and with --json one document over many lines on stdout.
// What the recordings teach: there is never a total; the last archive_progress is "finished", on
// SIGINT too, and carries no numbers, so the truth stands in the document only; what follows are
// caches being saved; status 1 is a warning, the archive is there.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "shim/run/exit_verdict.hpp"
#include "shim/run/json_fields.hpp"
#include "shim/run/number_text.hpp"
#include "shim/run/tools/parsers.hpp"
#include "shim/run/tools/record_parser.hpp"

namespace plimsoll {

namespace {

using nlohmann::json;

constexpr int kWarningStatus = 1;

class BorgParser : public RecordParser {
 public:
  explicit BorgParser(bool dry_run) : dry_run_(dry_run) {}

 private:
  void take(Stream stream, std::string_view text, Events& events) override;
  Terminal judge(ExitStatus exit, bool asked_to_stop, Events& events) override;

  void take_json(const json& record, Events& events);
  void take_progress(const json& record, Events& events);
  void take_log(const json& record, Events& events);
  void take_question(const json& record, Events& events);
  void take_text(std::string_view text, Events& events);
  void keep_document(std::string_view line);
  void take_document(Events& events);
  [[nodiscard]] std::string incomplete_text() const;

  std::string document_;  // of stdout, ≤ kMaxRecordBytes
  bool document_too_long_ = false;
  std::string question_;
  std::string last_error_;
  std::string last_warning_;
  std::string last_line_;  // plain text: a usage error has no other form
  std::string archive_;
  bool dry_run_;
};

void BorgParser::take(Stream stream, std::string_view text, Events& events) {
  const bool open = !document_.empty() || document_too_long_;
  if (stream == Stream::out && (open || text == "{")) return keep_document(text);
  if (text.front() != '{') return take_text(text, events);
  const json record = json::parse(text, nullptr, false);
  if (record.is_object()) return take_json(record, events);
  ++counts_.malformed;
}

void BorgParser::take_json(const json& record, Events& events) {
  const std::string type = text_of(record, "type", 32);
  if (type == "archive_progress") return take_progress(record, events);
  if (type == "log_message") return take_log(record, events);
  if (begins_with(type, "question_")) return take_question(record, events);
  const bool known =
      type == "progress_message" || type == "progress_percent" || type == "file_status";
  if (!known) ++counts_.unknown_types;
}

void BorgParser::take_progress(const json& record, Events& events) {
  sample_.description = text_of(record, "path", kMaxDescriptionBytes);
  if (record.contains("nfiles"))
    sample_.files_done = std::max(sample_.files_done, count_of(record, "nfiles"));
  publish(count_of(record, "original_size"), 0, events);
  if (!true_of(record, "finished")) return;
  sample_.activity = Activity::finishing;
  events.back() = sample_;
}

void BorgParser::take_log(const json& record, Events& events) {
  const std::string level = text_of(record, "levelname", 16);
  const std::string text = text_of(record, "message", kMaxEventTextBytes);
  if (level == "DEBUG") return;
  if (level == "INFO") return say(Severity::info, text, events);
  if (level != "WARNING") {
    last_error_ = text;
    return say(Severity::error, text, events);
  }
  last_warning_ = text;
  if (sample_.warnings < UINT32_MAX) ++sample_.warnings;
  say(Severity::warning, text, events);
  events.emplace_back(sample_);
}

// Nobody may be there to answer: if it ends badly, this is why.
void BorgParser::take_question(const json& record, Events& events) {
  const std::string type = text_of(record, "type", 32);
  const std::string text = text_of(record, "message", kMaxEventTextBytes);
  if (type == "question_accepted_true" || type == "question_env_answer") question_.clear();
  if (type != "question_prompt" && type != "question_prompt_retry") return;
  question_ = text.empty() ? "a question" : text;
  say(Severity::warning, question_, events);
}

// "114.03 MB O 114.03 MB C 114.03 MB D 12 N src/f020.bin" is the text of --progress alone.
void BorgParser::take_text(std::string_view text, Events& events) {
  std::string_view rest = text;
  const std::int64_t done = take_size(rest);
  if (done >= 0 && begins_with(rest, " O ")) return publish(done, 0, events);
  ++counts_.text_lines;
  last_line_ = clean_utf8(text, kMaxEventTextBytes);
  say(Severity::info, text, events);
}

void BorgParser::keep_document(std::string_view line) {
  if (document_too_long_) return;
  document_too_long_ = document_.size() + line.size() + 1 > kMaxRecordBytes;
  if (document_too_long_) {
    ++counts_.truncated;
    return document_.clear();
  }
  document_.append(line).push_back('\n');
}

void BorgParser::take_document(Events& events) {
  if (document_.empty()) return;
  const json document = json::parse(document_, nullptr, false);
  const auto archive = document.is_object() ? document.find("archive") : document.end();
  if (!document.is_object() || archive == document.end() || !archive->is_object()) {
    ++counts_.malformed;
    return;
  }
  archive_ = text_of(*archive, "name", kMaxStoredAsBytes);
  const auto stats = archive->find("stats");
  if (stats == archive->end() || !stats->is_object()) return;
  sample_.files_done = std::max(sample_.files_done, count_of(*stats, "nfiles"));
  publish(count_of(*stats, "original_size"), 0, events);
  sample_.activity = Activity::finishing;
  events.back() = sample_;
}

std::string BorgParser::incomplete_text() const {
  const std::string& cause = last_warning_.empty() ? last_line_ : last_warning_;
  std::string text = "incomplete: " + (cause.empty() ? "borg ended with a warning" : cause);
  if (sample_.warnings > 1) text += " (the last of " + std::to_string(sample_.warnings) + ")";
  return clean_utf8(text, kMaxErrBytes);
}

Terminal BorgParser::judge(ExitStatus exit, bool asked_to_stop, Events& events) {
  take_document(events);
  std::string reason = last_error_.empty() ? last_line_ : last_error_;
  if (!question_.empty()) reason = "it asked what nobody here can answer: " + question_;
  if (exit.signal != 0) reason.clear();
  Terminal end = judge_exit(exit, asked_to_stop, "borg", reason);
  const bool warned = exit.signal == 0 && exit.code == kWarningStatus;
  if (end.outcome == Outcome::failed && warned && question_.empty()) {
    end.outcome = Outcome::incomplete;
    end.err = incomplete_text();
  }
  const bool saved = end.outcome == Outcome::durable || end.outcome == Outcome::incomplete;
  if (saved && dry_run_) {
    end.outcome = Outcome::failed;
    end.err = "borg: dry run, nothing was stored";
  } else if (saved) {
    end.stored_as = archive_;
  }
  return end;
}

}  // namespace

std::unique_ptr<ToolParser> make_borg_parser(const std::vector<std::string>& argv) {
  const bool dry_run = std::any_of(argv.begin(), argv.end(), [](const std::string& word) {
    return word == "--dry-run" || word == "-n";
  });
  return std::make_unique<BorgParser>(dry_run);
}

}  // namespace plimsoll
