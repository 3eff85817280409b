// parse_rsync.cpp - rsync's progress on stdout: of the whole transfer with --info=progress2
// ("N p% rate time (xfr#a, to-chk=b/c)"), of one file at a time with --progress or -P. The
// percentage is rounded down and is of a list that may still grow (ir-chk); it may fall, and a
// success may end on 99 %. Group marks follow the locale.
#include <algorithm>

#include "shim/run/tools/parsers.hpp"
#include "shim/run/tools/printed_number.hpp"
#include "shim/run/tools/text_tool.hpp"

namespace plimsoll {

namespace {

constexpr int kPartialStatus = 23;
constexpr int kVanishedStatus = 24;

struct RsyncLine {
  std::int64_t bytes = -1;
  std::int64_t percent = -1;
  std::int64_t files = -1;  // xfr#; -1 = a line in the middle of a file
  bool list_whole = false;  // to-chk, not ir-chk
};

// "100.39MB/s" or "127,60MB/s": only that it is one.
bool take_rate(std::string_view& text) {
  const std::size_t end = text.find(' ');
  const std::string_view rate = text.substr(0, end);
  if (!ends_with(rate, "B/s") || rate.front() < '0' || rate.front() > '9') return false;
  text.remove_prefix(rate.size());
  return true;
}

// "0:00:03", or "??:??:??" where rsync cannot tell.
bool take_time(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789:?"), text.size());
  if (std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), ':') != 2)
    return false;
  text.remove_prefix(end);
  return true;
}

std::int64_t take_count(std::string_view& text, SizeBase base) {
  std::string_view rest = text;
  std::int64_t value = take_grouped(rest);
  if (value >= 0 && !rest.empty() && rest.front() != ' ') {  // -h: "417.09M"
    rest = text;
    value = take_size(rest, base);
  }
  text = rest;
  return value;
}

// The tail "(xfr#a, to-chk=b/c)"; older versions wrote "xfer#".
bool take_checks(std::string_view text, RsyncLine& line) {
  if (!eat(text, "(xfr#") && !eat(text, "(xfer#")) return false;
  line.files = take_integer(text);
  line.list_whole = eat(text, ", to-chk=") || eat(text, ", to-check=");
  return line.files >= 0 && (line.list_whole || eat(text, ", ir-chk="));
}

bool read_line(std::string_view text, SizeBase base, RsyncLine& line) {
  eat_spaces(text);
  line.bytes = take_count(text, base);
  eat_spaces(text);
  line.percent = take_integer(text);
  if (line.bytes < 0 || line.percent < 0 || !eat(text, "% ")) return false;
  eat_spaces(text);
  if (!take_rate(text)) return false;
  eat_spaces(text);
  if (!take_time(text)) return false;
  eat_spaces(text);
  return text.empty() || take_checks(text, line);
}

// The whole behind a count and its percentage, which is rounded down: the narrowest range that all
// updates agree on. A total that moves begins a new range.
class TotalRange {
 public:
  void narrow(std::int64_t done, std::int64_t percent) {
    if (percent <= 0 || percent > 100 || done <= 0 || done > kMaxCount / 100) return;
    const std::int64_t most = done * 100 / percent;
    const std::int64_t least = percent == 100 ? done : done * 100 / (percent + 1);
    const bool agrees = most_ > 0 && least <= most_ && most >= least_;
    least_ = agrees ? std::max(least_, least) : least;
    most_ = agrees ? std::min(most_, most) : most;
  }

  void forget() { least_ = most_ = 0; }
  [[nodiscard]] std::int64_t most() const { return most_; }

 private:
  std::int64_t least_ = 0;
  std::int64_t most_ = 0;  // 0 = not known
};

class RsyncParser : public TextToolParser {
 public:
  RsyncParser(bool whole_transfer, SizeBase base)
      : TextToolParser("rsync"), whole_transfer_(whole_transfer), base_(base) {}

 protected:
  bool take_progress(std::string_view text) override {
    RsyncLine line;
    if (!read_line(text, base_, line)) return false;
    seen_record_ = true;
    if (whole_transfer_)
      take_whole(line);
    else
      take_file(line);
    sample_.files_done = std::max(sample_.files_done, line.files);
    return true;
  }

  [[nodiscard]] bool is_whole(std::string_view text) const override {
    return whole_transfer_ && (ends_with(text, ")") || ends_with(text, "  "));
  }

  [[nodiscard]] std::optional<Severity> severity_of(Stream stream,
                                                    std::string_view text) const override {
    if (starts_with(text, "rsync error: ") || starts_with(text, "rsync: ")) return Severity::error;
    if (starts_with(text, "file has vanished: ") || starts_with(text, "rsync warning: "))
      return Severity::warning;
    if (stream == Stream::err) return Severity::info;
    return std::nullopt;  // a file's name
  }

  void take_message(std::string_view text) override {
    if (starts_with(text, "rsync: ") && sample_.errors < UINT32_MAX) ++sample_.errors;
    if (starts_with(text, "file has vanished: ") && sample_.warnings < UINT32_MAX)
      ++sample_.warnings;
  }

  // 23 is a partial transfer, unless rsync's own count says that nothing was sent at all.
  void refine(ExitStatus exit, Terminal& end) override {
    if (exit.signal != 0) return;
    const bool nothing_sent = seen_record_ && sample_.files_done <= 0 && sample_.completed == 0;
    if (exit.code == kVanishedStatus || (exit.code == kPartialStatus && !nothing_sent))
      make_incomplete(end, "some files were not transferred");
  }

 private:
  void take_whole(const RsyncLine& line) {
    if (line.files >= 0) list_whole_ = line.list_whole;
    if (list_whole_)
      range_.narrow(line.bytes, line.percent);
    else
      range_.forget();
    advance(line.bytes, list_whole_ ? range_.most() : 0);
  }

  // Bytes and percentage are of one file; the line with xfr# ends it.
  void take_file(const RsyncLine& line) {
    const std::int64_t done = line.bytes > kMaxCount - ended_ ? kMaxCount : ended_ + line.bytes;
    if (line.files > sample_.files_done) ended_ = done;
    if (line.files != sample_.files_done || line.files < 0) advance(done, 0);
  }

  bool whole_transfer_;
  SizeBase base_;
  TotalRange range_;
  std::int64_t ended_ = 0;  // bytes of the files that are over (per-file progress)
  bool list_whole_ = false;
  bool seen_record_ = false;
};

bool says_progress2(const std::string& word) {
  return starts_with(word, "--info=") && word.find("progress2") != std::string::npos;
}

// -h once is units of 1000, twice of 1024.
SizeBase units_of(const std::vector<std::string>& argv) {
  std::ptrdiff_t times = 0;
  for (const std::string& word : argv) {
    if (word == "--human-readable") ++times;
    if (word.size() < 2 || word[0] != '-' || word[1] == '-') continue;
    const std::string_view letters = std::string_view(word).substr(1);
    const std::string_view flags = letters.substr(0, letters.find_first_of("efBTM@"));
    times += std::count(flags.begin(), flags.end(), 'h');
  }
  return times > 1 ? SizeBase::binary : SizeBase::decimal;
}

}  // namespace

std::unique_ptr<ToolParser> make_rsync_parser(const std::vector<std::string>& argv) {
  const bool whole = std::any_of(argv.begin(), argv.end(), says_progress2);
  return std::make_unique<RsyncParser>(whole, units_of(argv));
}

}  // namespace plimsoll
