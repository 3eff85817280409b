// replay.hpp - feeds recorded bytes to a parser in pieces of any size and keeps what came of it.
#pragma once

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <csignal>
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

inline ExitStatus exit_of(const nlohmann::json& expected) {
  ExitStatus exit;
  if (expected.at("exit").is_number()) exit.code = expected.at("exit").get<int>();
  if (expected.at("signal") == "SIGINT") exit.signal = SIGINT;
  if (expected.at("signal") == "SIGTERM") exit.signal = SIGTERM;
  if (expected.at("signal") == "SIGKILL") exit.signal = SIGKILL;
  return exit;
}

inline Outcome outcome_of(const std::string& state) {
  if (state == "succeeded") return Outcome::durable;
  if (state == "partial") return Outcome::incomplete;
  if (state == "cancelled") return Outcome::canceled;
  return Outcome::failed;  // failed, killed
}

inline constexpr std::size_t kWhole = std::size_t{1} << 30;
inline constexpr std::array kPieces = {kWhole, std::size_t{1}, std::size_t{7}};

// A recorded run, each stream whole and then in pieces; a terminal's bytes are one stream.
inline Replayed replay_recorded(ToolParser& parser, const std::string& base,
                                const nlohmann::json& expected, std::size_t piece) {
  Replayed replayed;
  feed_pieces(parser, Stream::out, read_recorded(base + ".stdout.raw"), piece, replayed);
  feed_pieces(parser, Stream::out, read_recorded(base + ".tty.raw"), piece, replayed);
  feed_pieces(parser, Stream::err, read_recorded(base + ".stderr.raw"), piece, replayed);
  finish(parser, exit_of(expected), expected.at("state") == "cancelled", replayed);
  return replayed;
}

// What must hold for every recording of every tool.
inline void check_recorded(const nlohmann::json& expected, const Replayed& replayed) {
  CHECK(replayed.terminal.outcome == outcome_of(expected.at("state")));
  CHECK_FALSE(replayed.fell);
  CHECK_FALSE(replayed.above);
  CHECK(replayed.terminal.err.empty() == (replayed.terminal.outcome == Outcome::durable));
  if (replayed.terminal.outcome == Outcome::durable)
    CHECK(replayed.terminal.total == replayed.terminal.completed);
  if (expected.at("bytes_done").is_number())
    CHECK(replayed.terminal.completed == expected.at("bytes_done").get<std::int64_t>());
  if (expected.at("bytes_total").is_number())
    CHECK(replayed.last.total == expected.at("bytes_total").get<std::int64_t>());
  if (expected.contains("errors")) CHECK(replayed.terminal.errors == expected.at("errors"));
  if (expected.contains("files_done")) CHECK(replayed.last.files_done == expected.at("files_done"));
}

}  // namespace plimsoll::test
