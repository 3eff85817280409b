// log_line.hpp - what a log line looks like: logfmt, JSON or logfmt for the journal. Pure.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "schemas/result.hpp"
#include "schemas/time.hpp"

namespace plimsoll {

enum class LogLevel : std::uint8_t { debug, info, warning, error };
enum class LogFormat : std::uint8_t {
  automatic,  // journal if stderr is the journal's socket, else logfmt
  logfmt,
  json,
  journal,  // "<6>" priority prefix, no time: the journal has its own
};

// "debug", "info", "warning", "error"; ErrorCode::config names the allowed words.
Result<LogLevel> parse_log_level(std::string_view word);
// "auto", "logfmt", "json", "journal".
Result<LogFormat> parse_log_format(std::string_view word);
std::string_view log_level_word(LogLevel level);

// A value of a field: text (escaped when written) or a number (bare in JSON).
class LogValue {
 public:
  LogValue(std::string_view text) : text_(text) {}    // NOLINT(google-explicit-constructor)
  LogValue(const std::string& text) : text_(text) {}  // NOLINT(google-explicit-constructor)
  LogValue(const char* text) : text_(text) {}         // NOLINT(google-explicit-constructor)
  template <std::integral T>
  LogValue(T number)
      : text_(as_text(number)), bare_(true) {}  // NOLINT(google-explicit-constructor)

  std::string_view text() const { return text_; }
  bool bare() const { return bare_; }

 private:
  template <std::integral T>
  static std::string as_text(T number) {
    if constexpr (std::is_same_v<T, bool>)
      return number ? "true" : "false";
    else
      return std::to_string(number);
  }
  std::string text_;
  bool bare_ = false;
};

struct LogField {
  std::string_view key;  // a literal: letters, digits and '_'
  LogValue value;
};
using LogFields = std::initializer_list<LogField>;

struct LogRecord {
  LogLevel level = LogLevel::info;
  std::string_view message;
  std::span<const LogField> fields;
  std::uint64_t suppressed = 0;  // lines of this reason left out before; shown when > 0
  WallTime time{};
};

inline constexpr std::size_t kMaxLogLineBytes =
    2048;  // longer lines lose whole fields, marked `cut`
inline constexpr std::size_t kMaxLogValueBytes = 512;  // longer values are cut at a character

// One line without the newline, at most kMaxLogLineBytes, whatever the values contain.
std::string format_log_line(const LogRecord& record, LogFormat format);

}  // namespace plimsoll
