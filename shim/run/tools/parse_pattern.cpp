// parse_pattern.cpp - any tool whose progress is a number in its output: `percent:REGEX`,
// `bytes:REGEX`. Records that do not match are only the tool's words; the last one on stderr
// explains a failure.
#include <algorithm>

#include "schemas/text.hpp"
#include "schemas/text_bounds.hpp"
#include "shim/run/bounded_regex.hpp"
#include "shim/run/exit_verdict.hpp"
#include "shim/run/number_text.hpp"
#include "shim/run/record_splitter.hpp"
#include "shim/run/tools/parsers.hpp"

namespace plimsoll {

namespace {

constexpr std::string_view kPercentPrefix = "percent:";
constexpr std::string_view kBytesPrefix = "bytes:";
constexpr std::int64_t kPercentTotal = 100;

class PatternParser : public ToolParser {
 public:
  PatternParser(bool percent, BoundedRegex regex) : percent_(percent), regex_(std::move(regex)) {
    if (percent_) sample_.total = kPercentTotal;
  }

  void feed(Stream stream, std::string_view bytes, std::vector<ToolEvent>& events) override {
    splitter(stream).feed(bytes, [&](const Record& record) { take(stream, record, events); });
  }

  Terminal finish(ExitStatus exit, bool asked_to_stop, std::vector<ToolEvent>& events) override {
    for (const Stream stream : {Stream::out, Stream::err})
      splitter(stream).finish([&](const Record& record) { take(stream, record, events); });
    Terminal end = judge_exit(exit, asked_to_stop, "the tool", last_words_);
    const bool durable = end.outcome == Outcome::durable;
    end.completed = durable && percent_ ? kPercentTotal : sample_.completed;
    end.total = durable ? end.completed : sample_.total;
    return end;
  }

  [[nodiscard]] ParserCounts counts() const override { return counts_; }

 private:
  RecordSplitter& splitter(Stream stream) { return stream == Stream::out ? out_ : err_; }

  void take(Stream stream, const Record& record, std::vector<ToolEvent>& events) {
    if (record.truncated) ++counts_.truncated;
    BoundedRegex::Groups groups;
    if (!regex_.find(record.text, groups)) {
      ++counts_.text_lines;
      if (stream == Stream::err) last_words_ = clean_utf8(record.text, kMaxEventTextBytes);
      return;
    }
    const std::int64_t done = take_integer(groups.first);
    if (done < 0) {
      ++counts_.malformed;
      return;
    }
    update(done, take_integer(groups.second));
    events.emplace_back(sample_);
  }

  void update(std::int64_t done, std::int64_t total) {
    if (percent_) done = std::min(done, kPercentTotal);
    sample_.completed = std::max(sample_.completed, done);
    if (!percent_ && total > 0) sample_.total = total;
    if (sample_.total > 0) sample_.total = std::max(sample_.total, sample_.completed);
    const bool all = sample_.total > 0 && sample_.completed == sample_.total;
    sample_.activity = all ? Activity::finishing : Activity::sending;
  }

  bool percent_;
  BoundedRegex regex_;
  RecordSplitter out_, err_;
  ParserCounts counts_;
  Sample sample_;
  std::string last_words_;
};

class SilentParser : public ToolParser {
 public:
  explicit SilentParser(std::string tool) : tool_(std::move(tool)) {}

  void feed(Stream, std::string_view, std::vector<ToolEvent>&) override {}
  Terminal finish(ExitStatus exit, bool asked_to_stop, std::vector<ToolEvent>&) override {
    return judge_exit(exit, asked_to_stop, tool_, "");
  }
  [[nodiscard]] ParserCounts counts() const override { return {}; }

 private:
  std::string tool_;
};

}  // namespace

Result<std::unique_ptr<ToolParser>> make_pattern_parser(std::string_view spec) {
  const bool percent = spec.substr(0, kPercentPrefix.size()) == kPercentPrefix;
  const bool bytes = spec.substr(0, kBytesPrefix.size()) == kBytesPrefix;
  if (!percent && !bytes)
    return fail(ErrorCode::usage, "tool " + quoted(spec) + ": not known",
                "a tool of docs/movers.md, percent:REGEX or bytes:REGEX", "--tool");
  auto regex = BoundedRegex::compile(spec.substr((percent ? kPercentPrefix : kBytesPrefix).size()));
  if (!regex) return fail(std::move(regex.error()));
  return std::make_unique<PatternParser>(percent, std::move(*regex));
}

std::unique_ptr<ToolParser> make_silent_parser(const std::string& tool) {
  return std::make_unique<SilentParser>(tool);
}

}  // namespace plimsoll
