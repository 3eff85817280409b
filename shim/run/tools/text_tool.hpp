// text_tool.hpp - what the parsers of line-printing tools share: cutting into records, counts that
// never fall, the tool's words kept for the end. Bytes before a separator are looked at, too, once
// they are a whole progress text: many tools print the separator first, so that the newest value
// has none yet.
#pragma once

#include <optional>
#include <string>

#include "shim/run/record_splitter.hpp"
#include "shim/run/tool_parser.hpp"

namespace plimsoll {

class TextToolParser : public ToolParser {
 public:
  explicit TextToolParser(std::string tool) : tool_(std::move(tool)) {}

  void feed(Stream stream, std::string_view bytes, std::vector<ToolEvent>& events) final;
  Terminal finish(ExitStatus exit, bool asked_to_stop, std::vector<ToolEvent>& events) final;
  [[nodiscard]] ParserCounts counts() const final { return counts_; }

 protected:
  // Takes a record that is progress into sample_; false if it is none.
  virtual bool take_progress(std::string_view text) = 0;

  // True if `text`, which no separator has ended yet, cannot grow into another value.
  [[nodiscard]] virtual bool is_whole(std::string_view) const { return false; }

  // How grave a record that is no progress is; nothing for one that is no message of the tool's,
  // such as a file's name.
  [[nodiscard]] virtual std::optional<Severity> severity_of(Stream stream,
                                                            std::string_view text) const = 0;

  // What a message tells beyond its words.
  virtual void take_message(std::string_view) {}

  // What the tool's own statuses and words mean, where they differ from judge_exit().
  virtual void refine(ExitStatus, Terminal&) {}

  // `total` 0 = not known now. A count that falls is not taken; a total below the count is raised.
  void advance(std::int64_t completed, std::int64_t total);

  // The first error, or else the last words.
  [[nodiscard]] const std::string& words() const { return error_.empty() ? last_ : error_; }
  [[nodiscard]] const std::string& last_words() const { return last_; }

  // "incomplete: WORDS", bounded.
  void make_incomplete(Terminal& end, const std::string& otherwise) const;

  Sample sample_;
  ParserCounts counts_;

 private:
  RecordSplitter& splitter(Stream stream) { return stream == Stream::out ? out_ : err_; }
  void take(Stream stream, const Record& record, std::vector<ToolEvent>& events);
  void take_text(Stream stream, std::string_view text, std::vector<ToolEvent>& events);

  std::string tool_;
  RecordSplitter out_, err_;
  std::string error_;  // the first message that is an error
  std::string last_;   // the last message
};

[[nodiscard]] bool starts_with(std::string_view text, std::string_view start);
[[nodiscard]] bool ends_with(std::string_view text, std::string_view end);

}  // namespace plimsoll
