// parse_kopia.cpp - `kopia snapshot create --progress` on stderr, one line redrawn:
// " | 7 hashing, 405811 hashed (283.9 GB), 0 cached (0 B), uploaded 237.7 GB (5 errors ignored),
// estimated 307.2 GB (92.4%) 0s left". Done is hashed + cached: cached bytes are sent by an earlier
// run. The percentage and the time left contradict the sizes and are not used.
#include <algorithm>

#include "schemas/text.hpp"
#include "schemas/text_bounds.hpp"
#include "shim/run/tools/parsers.hpp"
#include "shim/run/tools/printed_number.hpp"
#include "shim/run/tools/text_tool.hpp"

namespace plimsoll {

namespace {

constexpr std::string_view kSpinner = "|/-\\*";
constexpr std::string_view kCreated = "Created snapshot with root ";

struct KopiaLine {
  std::int64_t files_hashed = -1, hashed = -1;
  std::int64_t files_cached = -1, cached = -1;
  std::int64_t uploaded = -1;
  std::int64_t estimated = -1;  // -1 = estimating
  std::int64_t errors = 0;      // fatal and ignored
};

// "405811 hashed (283.9 GB), "
bool take_part(std::string_view& text, std::string_view verb, std::int64_t& files,
               std::int64_t& bytes) {
  files = take_integer(text);
  if (files < 0 || !eat(text, verb) || !eat(text, " (")) return false;
  bytes = take_size(text, SizeBase::decimal);
  return bytes >= 0 && eat(text, "), ");
}

// "[,] (1 fatal errors)" and "(5 errors ignored)", in any order, each may be missing.
void take_errors(std::string_view& text, std::int64_t& errors) {
  for (;;) {
    std::string_view rest = text;
    (void)eat(rest, ",");
    eat_spaces(rest);
    if (!eat(rest, "(")) return;
    const std::int64_t count = take_integer(rest);
    const std::size_t close = rest.find(')');
    if (count < 0 || close == std::string_view::npos) return;
    if (rest.substr(0, close).find("error") == std::string_view::npos) return;
    errors = std::min<std::int64_t>(UINT32_MAX, errors + std::min<std::int64_t>(count, UINT32_MAX));
    text = rest.substr(close + 1);
  }
}

bool read_line(std::string_view text, KopiaLine& line) {
  eat_spaces(text);
  if (text.empty() || kSpinner.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  eat_spaces(text);
  if (take_integer(text) < 0 || !eat(text, " hashing, ")) return false;
  if (!take_part(text, " hashed", line.files_hashed, line.hashed)) return false;
  if (!take_part(text, " cached", line.files_cached, line.cached)) return false;
  if (!eat(text, "uploaded ")) return false;
  line.uploaded = take_size(text, SizeBase::decimal);
  if (line.uploaded < 0) return false;
  take_errors(text, line.errors);
  if (eat(text, ", estimated ")) line.estimated = take_size(text, SizeBase::decimal);
  return true;
}

std::int64_t sum(std::int64_t one, std::int64_t other) {
  return one > kMaxCount - other ? kMaxCount : one + other;
}

class KopiaParser : public TextToolParser {
 public:
  KopiaParser() : TextToolParser("kopia") {}

 protected:
  bool take_progress(std::string_view text) override {
    KopiaLine line;
    if (!read_line(text, line)) return false;
    // An estimate of nothing is none: what was known before stays.
    const std::int64_t known = line.estimated < 0 ? 0 : sample_.total;
    advance(sum(line.hashed, line.cached), line.estimated > 0 ? line.estimated : known);
    sample_.read = std::max(sample_.read, line.hashed);
    sample_.sent = std::max(sample_.sent, line.uploaded);
    sample_.files_done = std::max(sample_.files_done, sum(line.files_hashed, line.files_cached));
    sample_.errors = std::max(sample_.errors, static_cast<std::uint32_t>(line.errors));
    return true;
  }

  [[nodiscard]] bool is_whole(std::string_view text) const override {
    return ends_with(text, " left") || ends_with(text, "estimating...");
  }

  [[nodiscard]] std::optional<Severity> severity_of(Stream stream,
                                                    std::string_view text) const override {
    eat_spaces(text);
    if (starts_with(text, "! Error") || starts_with(text, "ERROR")) return Severity::error;
    if (starts_with(text, "WARN")) return Severity::warning;
    if (stream == Stream::err || starts_with(text, kCreated)) return Severity::info;
    return std::nullopt;
  }

  // "Created snapshot with root kffb7c28ea6c34d6cbe555d1cf80faa9 and ID 01b4ae2a3a2b8e2a in 3s"
  void take_message(std::string_view text) override {
    constexpr std::string_view kId = " and ID ";
    const std::size_t at = text.find(kId);
    if (!starts_with(text, kCreated) || at == std::string_view::npos) return;
    const std::string_view id = text.substr(at + kId.size());
    snapshot_id_ = clean_utf8(id.substr(0, id.find(' ')), kMaxStoredAsBytes);
  }

  // Ignored errors are kopia's policy and no failure: its exit status decides.
  void refine(ExitStatus, Terminal& end) override {
    if (end.outcome == Outcome::durable) end.stored_as = snapshot_id_;
  }

 private:
  std::string snapshot_id_;
};

}  // namespace

std::unique_ptr<ToolParser> make_kopia_parser(const std::vector<std::string>&) {
  return std::make_unique<KopiaParser>();
}

}  // namespace plimsoll
