// parse_pv.cpp - `pv -n` (tried with 1.6.20), on stderr: a percentage a line, with -b bytes, with
// -t the seconds before it. Its bars are for people: they vanish off a terminal, and are not read.
// A percentage means nothing without a size (it wanders), and falls once a size given with -s is
// exceeded; bytes are exact.
#include <algorithm>
#include <array>

#include "shim/run/exit_verdict.hpp"
#include "shim/run/number_text.hpp"
#include "shim/run/tools/parsers.hpp"
#include "shim/run/tools/record_parser.hpp"

namespace plimsoll {

namespace {

constexpr std::int64_t kPercentTotal = 100;

// Short options that take a value, in the same word or the next one.
constexpr std::string_view kValued = "sDiwHNFLBRPdAmZ";
constexpr std::array<std::string_view, 15> kValuedLong = {"--size",
                                                          "--delay-start",
                                                          "--interval",
                                                          "--width",
                                                          "--height",
                                                          "--name",
                                                          "--format",
                                                          "--rate-limit",
                                                          "--buffer-size",
                                                          "--remote",
                                                          "--pidfile",
                                                          "--watchfd",
                                                          "--last-written",
                                                          "--average-rate-window",
                                                          "--error-skip-block"};

// "300M": powers of 1024, as pv reads it; 0 if it is no number.
std::int64_t read_size(std::string_view text) {
  const std::int64_t number = take_integer(text);
  if (number <= 0) return 0;
  constexpr std::string_view kPrefixes = "kMGT";
  const char unit = text.empty() ? ' ' : text.front() == 'K' ? 'k' : text.front();
  const std::size_t power = kPrefixes.find(unit);
  if (power == kPrefixes.npos) return number;
  const int shift = 10 * (static_cast<int>(power) + 1);
  return number > (kMaxCount >> shift) ? kMaxCount : number << shift;
}

void set_flag(PvFlags& flags, char letter) {
  flags.numeric = flags.numeric || letter == 'n';
  flags.bytes = flags.bytes || letter == 'b';
  flags.timer = flags.timer || letter == 't';
  flags.lines = flags.lines || letter == 'l';
}

void set_value(PvFlags& flags, std::string_view name, std::string_view value) {
  if (name == "s" || name == "--size") flags.size = read_size(value);
}

// True if the value of the word's last option is the next word.
bool read_short(std::string_view word, PvFlags& flags, std::string_view& waiting) {
  for (std::size_t i = 1; i < word.size(); ++i) {
    if (kValued.find(word[i]) == kValued.npos) {
      set_flag(flags, word[i]);
      continue;
    }
    waiting = word.substr(i, 1);
    if (i + 1 < word.size()) set_value(flags, waiting, word.substr(i + 1));
    return i + 1 == word.size();
  }
  return false;
}

bool read_long(std::string_view word, PvFlags& flags, std::string_view& waiting) {
  const std::size_t equals = word.find('=');
  waiting = word.substr(0, equals);
  if (waiting == "--numeric") set_flag(flags, 'n');
  if (waiting == "--bytes") set_flag(flags, 'b');
  if (waiting == "--timer") set_flag(flags, 't');
  if (waiting == "--line-mode") set_flag(flags, 'l');
  if (std::find(kValuedLong.begin(), kValuedLong.end(), waiting) == kValuedLong.end()) return false;
  if (equals != word.npos) set_value(flags, waiting, word.substr(equals + 1));
  return equals == word.npos;
}

class PvParser : public RecordParser {
 public:
  PvParser(const PvFlags& flags, std::int64_t total)
      : flags_(flags), usable_(flags.numeric && flags.usable()) {
    if (!flags_.lines && total > 0) flags_.size = total;
  }

 private:
  void take(Stream stream, std::string_view text, Events& events) override;
  Terminal judge(ExitStatus exit, bool asked_to_stop, Events& events) override;

  [[nodiscard]] std::int64_t whole() const {
    return pv_units(flags_, flags_.size) == "percent" ? kPercentTotal : flags_.size;
  }

  PvFlags flags_;       // `size` is --total's, if that was given
  bool usable_;         // --total makes no sense of a percentage that has none
  bool spoke_ = false;  // a usable number came
  std::string last_words_;
};

// "23", "536870912", or "4.2443 536870912".
bool read_number(std::string_view text, bool timer, std::int64_t& number) {
  if (timer) {
    if (take_hundredths(text) < 0) return false;
    eat_spaces(text);
  }
  number = take_integer(text);
  return number >= 0 && text.find_first_not_of(' ') == text.npos;
}

void PvParser::take(Stream, std::string_view text, Events& events) {
  std::int64_t number = 0;
  if (!read_number(text, flags_.timer, number)) {
    ++counts_.text_lines;
    if (!eat(text, "pv: ")) return;
    last_words_ = clean_utf8(text, kMaxEventTextBytes);
    return say(Severity::error, text, events);
  }
  if (!usable_) return;
  spoke_ = true;
  if (flags_.bytes) return publish(number, flags_.size, events);
  publish(share_of(whole(), std::min(number, kPercentTotal) * 100), whole(), events);
}

Terminal PvParser::judge(ExitStatus exit, bool asked_to_stop, Events&) {
  Terminal end =
      judge_exit(exit, asked_to_stop, "pv", exit.signal == 0 ? last_words_ : std::string());
  if (end.outcome == Outcome::durable && spoke_ && !flags_.bytes)
    sample_.completed = sample_.total = whole();
  return end;
}

}  // namespace

PvFlags read_pv_flags(const std::vector<std::string>& argv) {
  PvFlags flags;
  std::string_view waiting;
  bool value_next = false;
  bool operands_only = false;
  for (std::size_t i = 1; i < argv.size(); ++i) {
    const std::string_view word = argv[i];
    const bool option = !operands_only && word.size() > 1 && word.front() == '-';
    if (value_next) {
      set_value(flags, waiting, word);
      value_next = false;
    } else if (option && word == "--") {
      operands_only = true;
    } else if (option) {
      value_next = begins_with(word, "--") ? read_long(word, flags, waiting)
                                           : read_short(word, flags, waiting);
    } else {
      flags.has_file = flags.has_file || word != "-";
    }
  }
  return flags;
}

std::string pv_units(const PvFlags& flags, std::int64_t total) {
  if (flags.lines && flags.bytes) return "lines";
  const bool sized = total > 0 || flags.size > 0;
  return flags.bytes || (sized && !flags.lines) ? "bytes" : "percent";
}

std::unique_ptr<ToolParser> make_pv_parser(const PvFlags& flags, std::int64_t total) {
  return std::make_unique<PvParser>(flags, total);
}

}  // namespace plimsoll
