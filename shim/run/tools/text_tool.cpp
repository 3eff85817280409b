// text_tool.cpp - see text_tool.hpp.
#include "shim/run/tools/text_tool.hpp"

#include <algorithm>

#include "schemas/text.hpp"
#include "schemas/text_bounds.hpp"
#include "shim/run/exit_verdict.hpp"

namespace plimsoll {

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

void TextToolParser::feed(Stream stream, std::string_view bytes, std::vector<ToolEvent>& events) {
  RecordSplitter& records = splitter(stream);
  records.feed(bytes, [&](const Record& record) { take(stream, record, events); });
  const std::string_view held = records.held();
  if (!held.empty() && is_whole(held) && take_progress(held)) events.emplace_back(sample_);
}

void TextToolParser::take(Stream stream, const Record& record, std::vector<ToolEvent>& events) {
  if (record.truncated) ++counts_.truncated;
  const std::size_t end = record.text.find_last_not_of(" \t");
  if (end == std::string_view::npos) return;
  if (!record.truncated && take_progress(record.text)) {
    events.emplace_back(sample_);
    return;
  }
  take_text(stream, record.text.substr(0, end + 1), events);
}

void TextToolParser::take_text(Stream stream, std::string_view text,
                               std::vector<ToolEvent>& events) {
  ++counts_.text_lines;
  const std::optional<Severity> severity = severity_of(stream, text);
  if (!severity) return;
  const std::string_view words = text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
  last_ = clean_utf8(words, kMaxEventTextBytes);
  if (*severity == Severity::error && error_.empty()) error_ = last_;
  events.emplace_back(Diagnostic{*severity, last_});
  const Sample before = sample_;
  take_message(words);
  if (!(sample_ == before)) events.emplace_back(sample_);
}

void TextToolParser::advance(std::int64_t completed, std::int64_t total) {
  sample_.completed = std::max(sample_.completed, completed);
  sample_.total = total > 0 ? std::max(total, sample_.completed) : 0;
  const bool all = sample_.total > 0 && sample_.completed == sample_.total;
  sample_.activity = all ? Activity::finishing : Activity::sending;
}

void TextToolParser::make_incomplete(Terminal& end, const std::string& otherwise) const {
  end.outcome = Outcome::incomplete;
  end.err = clean_utf8("incomplete: " + (words().empty() ? otherwise : words()), kMaxErrBytes);
}

Terminal TextToolParser::finish(ExitStatus exit, bool asked_to_stop,
                                std::vector<ToolEvent>& events) {
  for (const Stream stream : {Stream::out, Stream::err})
    splitter(stream).finish([&](const Record& record) { take(stream, record, events); });
  Terminal end = judge_exit(exit, asked_to_stop, tool_, exit.signal != 0 ? "" : words());
  if (end.outcome != Outcome::canceled) refine(exit, end);
  end.completed = sample_.completed;
  end.total = end.outcome == Outcome::durable ? sample_.completed : sample_.total;
  end.errors = sample_.errors;
  end.warnings = sample_.warnings;
  return end;
}

}  // namespace plimsoll
