// log.cpp - spdlog with a sink that writes whole lines to a descriptor.
#include "runtime/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/clock.hpp"
#include "runtime/rate_limit.hpp"

namespace plimsoll {
namespace {

// One write per line. What cannot be written is lost: a full pipe must not stop the loop for good,
// and there is nowhere to report it to.
class FdSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit FdSink(int fd) : fd_(fd) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    std::string line(message.payload.data(), message.payload.size());
    line += '\n';
    std::string_view rest = line;
    while (!rest.empty()) {
      const ssize_t wrote = ::write(fd_, rest.data(), rest.size());
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote <= 0) return;
      rest.remove_prefix(static_cast<std::size_t>(wrote));
    }
  }
  void flush_() override {}
  int fd_;
};

constexpr std::array kSpdLevels = {spdlog::level::debug, spdlog::level::info, spdlog::level::warn,
                                   spdlog::level::err};

spdlog::level::level_enum spd_level(LogLevel level) {
  return kSpdLevels[static_cast<std::size_t>(level)];
}

// systemd sets JOURNAL_STREAM to device:inode of the socket it gave us as standard error.
bool is_journal(int fd) {
  const char* stream = std::getenv("JOURNAL_STREAM");  // NOLINT(concurrency-mt-unsafe): at start
  struct ::stat status {};
  if (stream == nullptr || ::fstat(fd, &status) != 0) return false;
  return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino) == stream;
}

LogFormat resolved(const LogOptions& options) {
  if (options.format != LogFormat::automatic) return options.format;
  return is_journal(options.fd) ? LogFormat::journal : LogFormat::logfmt;
}

}  // namespace

struct Log::State {
  explicit State(const LogOptions& options)
      : format(resolved(options)),
        logger("plimsoll", std::make_shared<FdSink>(options.fd)),
        limit(options.per_reason_per_second) {
    logger.set_level(spd_level(options.level));
  }
  LogFormat format;
  spdlog::logger logger;
  Clock clock;
  std::mutex mutex;  // guards limit
  RateLimit limit;
};

Log::Log(const LogOptions& options) : state_(std::make_unique<State>(options)) {}
Log::Log(Log&&) noexcept = default;
Log& Log::operator=(Log&&) noexcept = default;
Log::~Log() = default;

void Log::debug(std::string_view message, LogFields fields) {
  write(LogLevel::debug, message, fields);
}
void Log::info(std::string_view message, LogFields fields) {
  write(LogLevel::info, message, fields);
}
void Log::warning(std::string_view message, LogFields fields) {
  write(LogLevel::warning, message, fields);
}
void Log::error(std::string_view message, LogFields fields) {
  write(LogLevel::error, message, fields);
}

void Log::failure(LogLevel level, std::string_view message, const Error& error, LogFields fields) {
  if (!enabled(level)) return;
  std::vector<LogField> all(fields);
  all.push_back({"code", word(error.code)});
  all.push_back({"error", error.message});
  if (!error.field.empty()) all.push_back({"field", error.field});
  if (!error.hint.empty()) all.push_back({"hint", error.hint});
  write(level, message, all);
}

void Log::set_level(LogLevel level) {
  state_->logger.set_level(spd_level(level));
}

bool Log::enabled(LogLevel level) const {
  return state_->logger.should_log(spd_level(level));
}

void Log::write(LogLevel level, std::string_view message, std::span<const LogField> fields) {
  if (!enabled(level)) return;
  RateLimit::Verdict verdict;
  {
    const std::lock_guard lock(state_->mutex);
    const auto now = TimePoint(Duration(static_cast<Duration::rep>(boottime_ns())));
    verdict = state_->limit.ask(message, now);
  }
  if (!verdict.allowed) return;
  const LogRecord record{level, message, fields, verdict.suppressed, state_->clock.wall()};
  const std::string line = format_log_line(record, state_->format);
  state_->logger.log(spd_level(level), spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace plimsoll
