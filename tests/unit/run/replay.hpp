// replay.hpp - feeds recorded bytes to a parser in pieces of any size and keeps what came of it.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "shim/run/tool_parser.hpp"

namespace plimsoll::test {

inline std::string recorded_path(const std::string& name) {
  return std::string(PLIMSOLL_SOURCE_DIR) + "/tests/recorded/" + name;
}

inline std::string read_recorded(const std::string& name) {
  const std::ifstream file(recorded_path(name), std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

inline nlohmann::json read_expected(const std::string& name) {
  const std::string text = read_recorded(name);
  REQUIRE_FALSE(text.empty());
  return nlohmann::json::parse(text);
}

struct Replayed {
  Sample last;  // the newest sample before finish()
  std::size_t samples = 0;
  std::vector<std::int64_t> totals;  // each value of total, where it changed
  std::vector<Diagnostic> diagnostics;
  bool fell = false;   // a count went back
  bool above = false;  // a count stood above its known total
  Terminal terminal;

  void take(const std::vector<ToolEvent>& events) {
    for (const ToolEvent& event : events) {
      if (const auto* diagnostic = std::get_if<Diagnostic>(&event))
        diagnostics.push_back(*diagnostic);
      if (const auto* sample = std::get_if<Sample>(&event)) take(*sample);
    }
  }

  void take(const Sample& sample) {
    ++samples;
    fell = fell || sample.completed < last.completed || sample.errors < last.errors;
    above = above || (sample.total > 0 && sample.completed > sample.total);
    if (totals.empty() || totals.back() != sample.total) totals.push_back(sample.total);
    last = sample;
  }
};

inline void feed_pieces(ToolParser& parser, Stream stream, const std::string& bytes,
                        std::size_t size, Replayed& into) {
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    std::vector<ToolEvent> events;
    parser.feed(stream, std::string_view(bytes).substr(at, size), events);
    into.take(events);
  }
}

inline void finish(ToolParser& parser, ExitStatus exit, bool asked_to_stop, Replayed& into) {
  std::vector<ToolEvent> events;
  into.terminal = parser.finish(exit, asked_to_stop, events);
  into.take(events);
}

}  // namespace plimsoll::test
