// parse_dd.cpp - `dd status=progress` (tried with coreutils 9.1), on stderr: a carriage return
// before "N bytes (…) copied, T s, R", at the end the same as the last line of a report.
// Words and decimal comma are the locale's, the leading count is not. There is no total.
#include "shim/run/exit_verdict.hpp"
#include "shim/run/number_text.hpp"
#include "shim/run/tools/parsers.hpp"
#include "shim/run/tools/record_parser.hpp"

namespace plimsoll {

namespace {

// "512+0 records in" counts blocks, "1 truncated record" has no rate: neither is a size.
std::int64_t read_copied(std::string_view text) {
  const std::int64_t bytes = take_integer(text);
  const bool sentence = bytes >= 0 && eat(text, " ") && text.find(", ") != text.npos;
  return sentence ? bytes : -1;
}

class DdParser : public RecordParser {
 private:
  void take(Stream, std::string_view text, Events& events) override {
    const std::int64_t bytes = read_copied(text);
    if (bytes >= 0) return publish(bytes, 0, events);
    ++counts_.text_lines;
    if (is_digit(text.front())) return;  // the report's other lines
    eat(text, "dd: ");
    last_words_ = clean_utf8(text, kMaxEventTextBytes);
    say(Severity::error, text, events);
  }

  Terminal judge(ExitStatus exit, bool asked_to_stop, Events&) override {
    return judge_exit(exit, asked_to_stop, "dd", exit.signal == 0 ? last_words_ : std::string());
  }

  std::string last_words_;
};

}  // namespace

std::unique_ptr<ToolParser> make_dd_parser() {
  return std::make_unique<DdParser>();
}

}  // namespace plimsoll
