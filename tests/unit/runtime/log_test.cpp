// log_test.cpp - lines as they are written.
#include "runtime/log.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <string>

#include <rapidcheck/catch.h>
#include <catch2/catch.hpp>

#include "runtime/unique_fd.hpp"
#include "schemas/text.hpp"

using namespace plimsoll;

namespace {

std::string line(LogFormat format, std::string_view message, LogFields fields) {
  const LogRecord record{LogLevel::warning, message, fields, 0,
                         WallTime(milliseconds(1'700'000'000'123))};
  return format_log_line(record, format);
}

// A pipe as standard error.
struct CapturedLog {
  explicit CapturedLog(LogOptions options = {}) {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    reader = UniqueFd(ends[0]);
    writer = UniqueFd(ends[1]);
    options.fd = writer.get();
    log.emplace(options);
  }
  std::string text() {
    writer.reset();
    std::string all(65536, '\0');
    all.resize(static_cast<std::size_t>(::read(reader.get(), all.data(), all.size())));
    return all;
  }
  UniqueFd reader;
  UniqueFd writer;
  std::optional<Log> log;
};

}  // namespace

TEST_CASE("logfmt quotes what needs it") {
  CHECK(line(LogFormat::logfmt, "stream closed", {{"uid", 7}, {"why", "a \"b\""}, {"empty", ""}}) ==
        "time=2023-11-14T22:13:20.123Z level=warning msg=\"stream closed\" uid=7 "
        "why=\"a \\\"b\\\"\" empty=\"\"");
}

TEST_CASE("json has numbers bare and text quoted") {
  CHECK(line(LogFormat::json, "m", {{"uid", 7}, {"on", true}, {"why", "a\\b"}}) ==
        "{\"time\":\"2023-11-14T22:13:20.123Z\",\"level\":\"warning\",\"msg\":\"m\",\"uid\":7,"
        "\"on\":true,\"why\":\"a\\\\b\"}");
}

TEST_CASE("lines for the journal carry a priority and no time") {
  CHECK(line(LogFormat::journal, "m", {{"k", "v"}}) == "<4>level=warning msg=m k=v");
}

TEST_CASE("a value cannot forge a line or move the cursor") {
  const auto text = line(LogFormat::logfmt, "m", {{"k", "a\nlevel=error\x1b[2J\x7f"}});
  CHECK(text.find('\n') == std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find('\x7f') == std::string::npos);
}

TEST_CASE("every line is one line, valid UTF-8 and bounded, whatever the values") {
  rc::prop("for any message and value", [](const std::string& message, const std::string& value) {
    const auto format = *rc::gen::element(LogFormat::logfmt, LogFormat::json, LogFormat::journal);
    const std::string longer = value + std::string(700, 'x');
    const auto text = line(format, message,
                           {{"a", value}, {"b", longer}, {"c", longer}, {"d", longer}, {"e", 1}});
    RC_ASSERT(text.size() <= kMaxLogLineBytes);
    RC_ASSERT(text.find('\n') == std::string::npos);
    RC_ASSERT(is_valid_utf8(text));
  });
}

TEST_CASE("a line that would be too long says that fields were cut") {
  const std::string value(600, 'x');
  const auto text = line(LogFormat::logfmt, "m",
                         {{"a", value}, {"b", value}, {"c", value}, {"d", value}, {"e", "kept"}});
  CHECK(text.size() <= kMaxLogLineBytes);
  CHECK(text.find(" d=") == std::string::npos);
  CHECK(text.find("e=kept cut=true") != std::string::npos);
}

TEST_CASE("levels and formats are read from words, and others are refused with the choice") {
  CHECK(parse_log_level("warning").value() == LogLevel::warning);
  CHECK(parse_log_format("auto").value() == LogFormat::automatic);
  const auto bad = parse_log_level("loud");
  REQUIRE_FALSE(bad.has_value());
  CHECK(bad.error().code == ErrorCode::config);
  CHECK(bad.error().message == "log level 'loud' is not known");
  CHECK(bad.error().hint == "use one of: debug, info, warning, error");
}

TEST_CASE("the log writes what its level allows") {
  CapturedLog captured;
  captured.log->debug("hidden");
  captured.log->info("shown", {{"n", 1}});
  captured.log->set_level(LogLevel::error);
  captured.log->warning("hidden too");
  captured.log->failure(LogLevel::error, "cannot go on",
                        Error{ErrorCode::no_space, "write 'x': full", "make room", ""},
                        {{"id", "q"}});
  const auto text = captured.text();
  CHECK(text.find("hidden") == std::string::npos);
  CHECK(text.find("level=info msg=shown n=1\n") != std::string::npos);
  CHECK(text.find("msg=\"cannot go on\" id=q code=no_space error=\"write 'x': full\" "
                  "hint=\"make room\"\n") != std::string::npos);
}

TEST_CASE("a flood of one message is cut, others are not") {
  CapturedLog captured({.per_reason_per_second = 3});
  // 3 per window; even across a window's border at most 6 of the 20 come through.
  for (int i = 0; i < 20; ++i)
    captured.log->info("flood");
  captured.log->info("other");
  const auto text = captured.text();
  std::size_t lines = 0;
  for (auto at = text.find("flood"); at != std::string::npos; at = text.find("flood", at + 1))
    ++lines;
  CHECK(lines >= 3);
  CHECK(lines <= 6);
  CHECK(text.find("other") != std::string::npos);
}

TEST_CASE("automatic format is the journal's when standard error is the journal's") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  UniqueFd reader(ends[0]);
  const UniqueFd writer(ends[1]);
  struct ::stat status {};
  REQUIRE(::fstat(writer.get(), &status) == 0);
  const auto stream = std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
  REQUIRE(::setenv("JOURNAL_STREAM", stream.c_str(), 1) == 0);
  Log log({.fd = writer.get()});
  REQUIRE(::unsetenv("JOURNAL_STREAM") == 0);
  log.info("m");
  std::array<char, 64> buffer{};
  REQUIRE(::read(reader.get(), buffer.data(), buffer.size()) > 0);
  CHECK(std::string(buffer.data()) == "<6>level=info msg=m\n");
}
