// log.hpp - the log of a daemon: lines on standard error. Made in main, passed by reference, no
// global. Only wiring logs; everything else returns its error.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "runtime/log_line.hpp"

namespace plimsoll {

struct LogOptions {
  LogLevel level = LogLevel::info;
  LogFormat format = LogFormat::automatic;
  std::uint32_t per_reason_per_second = 10;  // of lines with the same message; 0 = no limit
  int fd = 2;                                // not owned
};

// Any thread. `message` is a literal (it is also the reason for the rate limit); what varies
// belongs in the fields: log.info("stream closed", {{"peer_uid", uid}, {"cause", text}}).
class Log {
 public:
  explicit Log(const LogOptions& options);
  Log(Log&&) noexcept;
  Log& operator=(Log&&) noexcept;
  ~Log();

  void debug(std::string_view message, LogFields fields = {});
  void info(std::string_view message, LogFields fields = {});
  void warning(std::string_view message, LogFields fields = {});
  void error(std::string_view message, LogFields fields = {});
  // An Error with its code, text, field and hint as fields, after `fields`.
  void failure(LogLevel level, std::string_view message, const Error& error, LogFields fields = {});

  void set_level(LogLevel level);
  bool enabled(LogLevel level) const;

 private:
  void write(LogLevel level, std::string_view message, std::span<const LogField> fields);
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plimsoll
