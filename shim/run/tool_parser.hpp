// tool_parser.hpp - what reads a tool's output: bytes in, events out, and at the end a verdict.
// Parsers are pure: no clock, file, log or environment. They hold at most one record per stream,
// survive any bytes, and never report a count that falls.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "schemas/upload_progress.hpp"

namespace plimsoll {

enum class Stream : std::uint8_t { out, err };

struct Diagnostic {
  Severity severity = Severity::info;
  std::string text;  // ≤ kMaxEventTextBytes of valid UTF-8, not escaped
};

// A Sample is the tool's whole newest knowledge, not a change to it: what it does not know is -1 (0
// for total), as in the segment.
using ToolEvent = std::variant<Sample, Diagnostic>;

// How the process ended: by exit (signal == 0) or by a signal.
struct ExitStatus {
  int code = 0;
  int signal = 0;

  [[nodiscard]] bool good() const { return code == 0 && signal == 0; }
};

// What a parser met that it could not use; shown once at the end and asserted in tests.
struct ParserCounts {
  std::uint64_t text_lines = 0;     // plain text where records were expected
  std::uint64_t unknown_types = 0;  // well-formed records of a kind this parser does not know
  std::uint64_t malformed = 0;      // looked like a record and was none
  std::uint64_t truncated = 0;      // longer than the bound, or cut off by the end of the stream
};

class ToolParser {
 public:
  virtual ~ToolParser() = default;

  // Appends to `events`. When both streams of the tool are one file, all bytes come as Stream::out.
  virtual void feed(Stream stream, std::string_view bytes, std::vector<ToolEvent>& events) = 0;

  // Called once, when both streams are at their end. `asked_to_stop`: a SIGINT, SIGTERM or SIGHUP
  // was passed on or sent by us; then every end but success is `canceled`.
  virtual Terminal finish(ExitStatus exit, bool asked_to_stop, std::vector<ToolEvent>& events) = 0;

  [[nodiscard]] virtual ParserCounts counts() const = 0;
};

}  // namespace plimsoll
