// parse_curl.cpp - the meter of `curl -T` on stderr: two header lines, then twelve columns once a
// second, sizes rounded to k, M, G of 1024. The upload's size is unknown for a pipe. curl ends with
// 0 for an HTTP error, too, unless --fail is given.
#include <array>

#include "shim/run/tools/parsers.hpp"
#include "shim/run/tools/printed_number.hpp"
#include "shim/run/tools/text_tool.hpp"

namespace plimsoll {

namespace {

constexpr std::size_t kColumns = 12;
// % total % received % sent, then speeds and times.
constexpr std::size_t kTotalPercent = 0, kTotal = 1, kSentPercent = 4, kSent = 5;
constexpr std::int64_t kPercentTotal = 100;

using Columns = std::array<std::string_view, kColumns>;

bool split(std::string_view text, Columns& columns) {
  std::size_t count = 0;
  for (eat_spaces(text); !text.empty(); eat_spaces(text)) {
    if (count == kColumns) return false;
    columns[count] = text.substr(0, text.find(' '));
    text.remove_prefix(columns[count++].size());
  }
  return count == kColumns;
}

std::int64_t whole_size(std::string_view text) {
  const std::int64_t size = take_size(text, SizeBase::binary);
  return text.empty() ? size : -1;
}

class CurlParser : public TextToolParser {
 public:
  CurlParser() : TextToolParser("curl") {}

 protected:
  bool take_progress(std::string_view text) override {
    Columns columns;
    if (!split(text, columns)) return false;
    std::int64_t numbers[kSent + 1];
    for (std::size_t at = 0; at <= kSent; ++at)
      if ((numbers[at] = whole_size(columns[at])) < 0) return false;
    for (const std::size_t time : {8U, 9U, 10U})
      if (columns[time].find(':') == std::string_view::npos) return false;
    const std::int64_t sent = numbers[kSent];
    // Without a size curl calls what it has sent so far 100 % of the whole.
    const bool sizeless = numbers[kTotalPercent] == kPercentTotal && numbers[kSentPercent] == 0;
    if (sent == 0 && sample_.completed == 0 && numbers[kTotal] == 0) return true;
    advance(sent, sizeless ? 0 : numbers[kTotal]);
    sample_.sent = sample_.completed;
    return true;
  }

  [[nodiscard]] std::optional<Severity> severity_of(Stream, std::string_view text) const override {
    if (starts_with(text, "curl: (")) return Severity::error;
    if (starts_with(text, "curl: ")) return Severity::error;
    if (starts_with(text, "Warning: ")) return Severity::warning;
    return std::nullopt;  // the meter's header, the bar, -v's talk
  }
};

}  // namespace

std::unique_ptr<ToolParser> make_curl_parser(const std::vector<std::string>&) {
  return std::make_unique<CurlParser>();
}

}  // namespace plimsoll
