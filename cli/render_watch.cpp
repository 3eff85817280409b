// render_watch.cpp - header, sums, rows, footer.
#include "cli/render_watch.hpp"

#include <algorithm>
#include <utility>

#include "cli/amounts.hpp"
#include "cli/render_words.hpp"
#include "cli/watch/watch_rows.hpp"

namespace plimsoll::cli {
namespace {

constexpr std::size_t kDefaultWidth = 100;
constexpr std::size_t kLowTerminal = 20;  // rows; below it finished uploads are only counted
constexpr std::size_t kSummedBackups = 5;

struct Frame {
  const WatchFrame& data;
  std::size_t width;
  std::size_t height;
  bool utf8;
  WallTime now;
};

// Left text and right text on one line; the left one gives way.
Line spread(Line left, const Line& right, std::size_t width) {
  const auto used = display_width(left) + display_width(right);
  if (used < width) left.push_back({std::string(width - used, ' '), Tone::plain});
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

Span freshness_span(const Frame& frame) {
  if (!frame.data.trouble.empty()) return {frame.data.trouble, Tone::yellow};
  if (frame.data.waiting) return {"asking the " + frame.data.source, Tone::dim};
  const UploadRow* worst = nullptr;
  for (const auto& upload : frame.data.uploads) {
    const bool late = !upload.over() && upload.state != UploadState::pending &&
                      upload.freshness.state != Freshness::live;
    if (late && (worst == nullptr || upload.freshness.age_seconds > worst->freshness.age_seconds))
      worst = &upload;
  }
  if (worst == nullptr) return {"live", Tone::green};
  const auto node = worst->node.empty() ? std::string("a node") : worst->node;
  return {node + " " + std::string(word(worst->freshness.state)) + " for " +
              human_duration(seconds(worst->freshness.age_seconds)),
          Tone::yellow};
}

std::string title_of(const Frame& frame) {
  if (frame.data.backups.size() == 1) return frame.data.backups[0].name;
  if (frame.data.backups.empty()) return "";
  return std::to_string(frame.data.backups.size()) + " backups";
}

Line header_line(const Frame& frame) {
  const auto freshness = freshness_span(frame);
  const bool roomy = frame.width >= 80;
  const Line right = roomy ? Line{freshness, {"  " + clock_seconds(frame.now) + " UTC", Tone::dim}}
                           : Line{freshness};
  const auto lead = std::string(roomy ? "plimsoll watch  " : "");
  const auto taken = display_width(right) + display_width(lead) + 2;
  const auto room = frame.width > taken ? frame.width - taken : 0;
  const auto title = cut_middle(title_of(frame), room, frame.utf8);
  Line line = spread({{lead, Tone::dim}, {title, Tone::bold}}, right, frame.width);
  if (display_width(line) <= frame.width) return line;
  return {{cut_end(freshness.text, frame.width, frame.utf8), freshness.tone}};
}

Line bar_line(const BackupRow& backup, const Frame& frame) {
  const auto percent = percent_of_backup(backup);
  Line tail = {{"  " + human_percent(percent), Tone::bold}};
  const auto amount = human_amount(amount_of(backup));
  if (frame.width >= 60 && amount != "-") tail.push_back({"  " + amount, Tone::plain});
  const std::size_t brackets = frame.utf8 ? 0 : 2;
  const auto taken = display_width(tail) + brackets;
  BarLook look{frame.width > taken + 4 ? frame.width - taken : 4, frame.utf8, 0, tone_of(backup)};
  if (look.tone == Tone::plain) look.tone = Tone::cyan;
  look.phase =
      static_cast<std::size_t>(std::chrono::floor<seconds>(frame.now.time_since_epoch()).count());
  auto line = bar(percent ? std::optional(*percent / 100) : std::nullopt, look);
  if (!frame.utf8) {
    line.insert(line.begin(), {"[", Tone::plain});
    line.push_back({"]", Tone::plain});
  }
  line.insert(line.end(), tail.begin(), tail.end());
  return line;
}

std::string rate_text(const BackupRow& backup, const Frame& frame) {
  if (backup.over()) return "";
  if (!backup.rate) return "";
  auto text = "rate " + human_rate(backup.rate, "bytes");
  if (!backup.eta_seconds) return text;
  text += "  ETA " + human_duration(backup.eta_seconds);
  if (frame.width >= 60)
    text += " (" + clock_minutes(frame.now + seconds(*backup.eta_seconds)) + " UTC)";
  return text;
}

// The sums of the only backup: phase and counts, bar, rate.
void add_single(Lines& lines, const BackupRow& backup, const Frame& frame) {
  Line state;
  if (!backup.phase_word.empty()) state.push_back({backup.phase_word + "  ", tone_of(backup)});
  auto taken = display_width(state);
  const auto note = frame.width >= 80 ? restorable_note(backup) : "";
  if (!note.empty()) taken += display_width(note) + 2;
  const auto room = frame.width > taken ? frame.width - taken : 0;
  state.push_back({cut_end(counts_text(backup, "  "), room, frame.utf8), Tone::plain});
  lines.push_back(note.empty() ? state : spread(state, {{note, Tone::dim}}, frame.width));
  lines.push_back(bar_line(backup, frame));
  const auto rate = rate_text(backup, frame);
  if (!rate.empty()) lines.push_back({{cut_end(rate, frame.width, frame.utf8), Tone::plain}});
}

// One line of each of several: "nightly  Uploading  2/3  68%  412M  41m".
Line sum_line(const BackupRow& backup, const Frame& frame) {
  const bool roomy = frame.width >= 80;
  const auto counts =
      std::to_string(backup.count(UploadState::completed)) + "/" + std::to_string(backup.uploads);
  Line tail = {{" " + pad_left(counts, 7), Tone::plain},
               {" " + pad_left(whole_percent(percent_of_backup(backup)), 5), Tone::bold}};
  if (roomy) tail.push_back({" " + pad_left(human_amount(amount_of(backup)), 15), Tone::plain});
  if (frame.width >= 60) {
    tail.push_back({" " + pad_left(human_rate(backup.rate, "bytes", true), 7), Tone::plain});
    tail.push_back({" " + pad_left(human_duration(backup.eta_seconds), 7), Tone::plain});
  }
  const std::size_t phase_width = frame.width >= 60 ? 16 : 10;
  const auto taken = display_width(tail) + phase_width + 1;
  const auto room = frame.width > taken + 5 ? frame.width - taken : 5;
  Line line = {{pad_right(cut_middle(backup.name, room, frame.utf8), room) + " ", Tone::bold},
               {pad_right(cut_end(backup.phase_word, phase_width, frame.utf8), phase_width),
                tone_of(backup)}};
  line.insert(line.end(), tail.begin(), tail.end());
  return line;
}

void add_sums(Lines& lines, const Frame& frame) {
  const auto& backups = frame.data.backups;
  if (backups.size() == 1) return add_single(lines, backups[0], frame);
  for (std::size_t i = 0; i < std::min(backups.size(), kSummedBackups); ++i)
    lines.push_back(sum_line(backups[i], frame));
  if (backups.size() > kSummedBackups)
    lines.push_back(
        {{std::to_string(backups.size() - kSummedBackups) + " more backups", Tone::dim}});
}

void add_rows(Lines& lines, const Frame& frame, std::size_t footer_lines) {
  const auto taken = lines.size() + footer_lines;
  RowsLook look;
  look.width = frame.width;
  look.utf8 = frame.utf8;
  look.now = frame.now;
  look.several_backups = frame.data.backups.size() > 1;
  look.finished = frame.height == 0 || frame.height >= kLowTerminal;
  if (frame.height > 0) look.room = frame.height > taken + 1 ? frame.height - taken : 1;
  for (auto& line : render_watch_rows(frame.data.uploads, look))
    lines.push_back(std::move(line));
}

std::string nothing_text(const WatchFrame& data) {
  if (!data.trouble.empty() || data.waiting) return "";
  return "nothing is being uploaded; start one with: plimsoll run --backup NAME -- COMMAND";
}

}  // namespace

Lines render_watch(const WatchFrame& data, const WatchLook& look) {
  const auto width = look.screen.width == 0 ? kDefaultWidth : look.screen.width;
  const Frame frame{data, width, look.screen.height, look.screen.utf8, look.now};
  Lines lines = {header_line(frame)};
  add_sums(lines, frame);
  const bool ruled = width >= 80 && (frame.height == 0 || frame.height >= kLowTerminal);
  const Line line_of_rule = {{rule(width, frame.utf8), Tone::dim}};
  if (ruled) lines.push_back(line_of_rule);
  if (data.uploads.empty())
    lines.push_back({{cut_end(nothing_text(data), width, frame.utf8), Tone::dim}});
  else
    add_rows(lines, frame, look.keys ? 1 : 0);
  if (look.keys) lines.push_back({{"q quit", Tone::dim}});
  if (frame.height > 0 && lines.size() > frame.height) lines.resize(frame.height);
  for (auto& line : lines)
    line = cut_end(line, width, frame.utf8);  // below 40 columns
  return lines;
}

}  // namespace plimsoll::cli
