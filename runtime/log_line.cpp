// log_line.cpp - formats one log line.
#include "runtime/log_line.hpp"

#include <array>
#include <ctime>

#include <cstdio>

#include "schemas/text.hpp"

namespace plimsoll {
namespace {

struct Word {
  std::string_view word;
  int value;
};
constexpr std::array kLevels = {Word{"debug", 0}, Word{"info", 1}, Word{"warning", 2},
                                Word{"error", 3}};
constexpr std::array kFormats = {Word{"auto", 0}, Word{"logfmt", 1}, Word{"json", 2},
                                 Word{"journal", 3}};
constexpr std::array<std::string_view, 4> kPriorities = {"<7>", "<6>", "<4>", "<3>"};  // syslog

template <typename Words>
Result<int> find_word(const Words& words, std::string_view what, std::string_view given) {
  std::string allowed;
  for (const auto& entry : words) {
    if (entry.word == given) return entry.value;
    allowed += (allowed.empty() ? "" : ", ") + std::string(entry.word);
  }
  return fail(ErrorCode::config, std::string(what) + " " + quoted(given) + " is not known",
              "use one of: " + allowed);
}

std::string rfc3339(WallTime time) {
  const auto seconds_part = std::chrono::floor<std::chrono::seconds>(time);
  const std::time_t unix_seconds = seconds_part.time_since_epoch().count();
  const auto millis = static_cast<int>((time - seconds_part).count());
  std::tm parts{};
  (void)gmtime_r(&unix_seconds, &parts);
  std::array<char, 32> date{};
  (void)std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::array<char, 8> fraction{};
  (void)std::snprintf(fraction.data(), fraction.size(), ".%03dZ", millis % 1000);
  return std::string(date.data()) + fraction.data();
}

// One line, valid UTF-8, bounded; quotes and backslashes escaped the way logfmt and JSON share.
std::string safe(std::string_view text) {
  std::string out;
  for (const char c : escape_text(cut_utf8(text, kMaxLogValueBytes))) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

bool needs_quotes(std::string_view text) {
  return text.empty() || text.find_first_of(" =\"\\") != std::string_view::npos;
}

std::string logfmt_pair(std::string_view key, const LogValue& value) {
  std::string text = safe(value.text());
  if (needs_quotes(text)) text = '"' + text + '"';
  return (std::string(key) += '=') += text;
}

std::string json_pair(std::string_view key, const LogValue& value) {
  const std::string text = safe(value.text());
  return '"' + std::string(key) + "\":" + (value.bare() ? text : '"' + text + '"');
}

// Collects pairs up to the bound of a line.
class LineBuilder {
 public:
  explicit LineBuilder(LogFormat format)
      : json_(format == LogFormat::json), line_(json_ ? "{" : "") {}

  void prefix(std::string_view text) { line_ += text; }
  void add(std::string_view key, const LogValue& value) {
    const std::string pair = json_ ? json_pair(key, value) : logfmt_pair(key, value);
    if (line_.size() + pair.size() + kReserve > kMaxLogLineBytes) {
      cut_ = true;
      return;
    }
    append(pair);
  }
  std::string finish() {
    if (cut_) append(json_ ? "\"cut\":true" : "cut=true");
    if (json_) line_ += '}';
    return std::move(line_);
  }

 private:
  static constexpr std::size_t kReserve = 16;  // for the mark of a cut and the brace
  void append(std::string_view pair) {
    if (!first_) line_ += json_ ? ',' : ' ';
    first_ = false;
    line_ += pair;
  }
  bool json_;
  bool first_ = true;
  bool cut_ = false;
  std::string line_;
};

}  // namespace

Result<LogLevel> parse_log_level(std::string_view word) {
  return find_word(kLevels, "log level", word).map([](int v) { return static_cast<LogLevel>(v); });
}

Result<LogFormat> parse_log_format(std::string_view word) {
  return find_word(kFormats, "log format", word).map([](int v) {
    return static_cast<LogFormat>(v);
  });
}

std::string_view log_level_word(LogLevel level) {
  return kLevels[static_cast<std::size_t>(level)].word;
}

std::string format_log_line(const LogRecord& record, LogFormat format) {
  LineBuilder line(format);
  if (format == LogFormat::journal)
    line.prefix(kPriorities[static_cast<std::size_t>(record.level)]);
  else
    line.add("time", rfc3339(record.time));
  line.add("level", log_level_word(record.level));
  line.add("msg", record.message);
  if (record.suppressed > 0) line.add("suppressed", record.suppressed);
  for (const auto& field : record.fields)
    line.add(field.key, field.value);
  return line.finish();
}

}  // namespace plimsoll
