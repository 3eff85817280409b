// record_parser.hpp - what the parsers of tools that print records share: a splitter for each
// stream, the newest sample, and the end filled from it. A tool says what a record means and what
// its exit status does.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/text.hpp"
#include "schemas/text_bounds.hpp"
#include "shim/run/record_splitter.hpp"
#include "shim/run/tool_parser.hpp"

namespace plimsoll {

class RecordParser : public ToolParser {
 public:
  using Events = std::vector<ToolEvent>;

  void feed(Stream stream, std::string_view bytes, Events& events) final {
    splitter(stream).feed(bytes, [&](const Record& record) { split(stream, record, events); });
  }

  Terminal finish(ExitStatus exit, bool asked_to_stop, Events& events) final {
    for (const Stream stream : {Stream::out, Stream::err})
      splitter(stream).finish([&](const Record& record) { split(stream, record, events); });
    Terminal end = judge(exit, asked_to_stop, events);
    end.completed = sample_.completed;
    end.total = end.outcome == Outcome::durable ? sample_.completed : sample_.total;
    end.errors = sample_.errors;
    end.warnings = sample_.warnings;
    return end;
  }

  [[nodiscard]] ParserCounts counts() const final { return counts_; }

 protected:
  // One record, never empty, without leading blanks; of one that was too long, its beginning.
  virtual void take(Stream stream, std::string_view text, Events& events) = 0;

  // Outcome, err and stored_as; may still raise the sample's numbers, which then go into the end.
  virtual Terminal judge(ExitStatus exit, bool asked_to_stop, Events& events) = 0;

  // The tool's newest numbers. A count never falls, and never stands above a known total.
  void publish(std::int64_t completed, std::int64_t total, Events& events) {
    sample_.completed = std::max(sample_.completed, completed);
    sample_.total = total > 0 ? std::max(total, sample_.completed) : 0;
    const bool all = sample_.total > 0 && sample_.completed == sample_.total;
    sample_.activity = all ? Activity::finishing : Activity::sending;
    events.emplace_back(sample_);
  }

  void say(Severity severity, std::string_view text, Events& events) const {
    events.emplace_back(Diagnostic{severity, clean_utf8(text, kMaxEventTextBytes)});
  }

  Sample sample_;
  ParserCounts counts_;

 private:
  RecordSplitter& splitter(Stream stream) { return stream == Stream::out ? out_ : err_; }

  void split(Stream stream, const Record& record, Events& events) {
    if (record.truncated) ++counts_.truncated;
    const std::size_t begin = record.text.find_first_not_of(" \t");
    if (begin != std::string_view::npos) take(stream, record.text.substr(begin), events);
  }

  RecordSplitter out_, err_;
};

}  // namespace plimsoll
