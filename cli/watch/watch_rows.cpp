// watch_rows.cpp - one line per upload, a reason line under trouble, and a count of what did not
// fit.
#include "cli/watch/watch_rows.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "cli/amounts.hpp"
#include "cli/render_words.hpp"

namespace plimsoll::cli {
namespace {

enum class Group { trouble, moving, pending, finished };

Group group_of(const UploadRow& upload) {
  if (is_trouble(upload)) return Group::trouble;
  if (upload.over()) return Group::finished;
  return upload.state == UploadState::pending ? Group::pending : Group::moving;
}

std::string name_of(const UploadRow& upload, bool with_backup) {
  const auto item = short_item(upload.item);
  return with_backup && !upload.backup.empty() ? upload.backup + ": " + item : item;
}

// Widths of the columns; 0 = not shown. What is left over is the item's.
struct Columns {
  std::size_t state = 10, item = 0, node = 0, amount = 0, percent = 6, bar = 0, rate = 6, eta = 6,
              age = 0;
  bool amount_with_percent = false;
};

std::size_t taken_by(const Columns& columns) {
  std::size_t taken = 2;  // the glyph and its blank
  for (const auto width : {columns.state, columns.node, columns.amount, columns.percent,
                           columns.bar, columns.rate, columns.eta, columns.age})
    taken += width == 0 ? 0 : width + 1;
  return taken;
}

// On one node its name says nothing.
std::size_t node_width(const std::vector<UploadRow>& uploads) {
  std::set<std::string_view> nodes;
  std::size_t width = 0;
  for (const auto& upload : uploads) {
    if (upload.node.empty()) continue;
    nodes.insert(upload.node);
    width = std::max(width, display_width(upload.node));
  }
  return nodes.size() < 2 ? 0 : std::clamp<std::size_t>(width, 4, 10);
}

Columns columns_for(const std::vector<UploadRow>& uploads, const RowsLook& look) {
  Columns columns;
  if (look.width >= 100) {
    columns.node = node_width(uploads);
    columns.amount = 13;
    columns.bar = 14;
    columns.age = 6;
  } else if (look.width >= 80) {
    columns.amount = 18;
    columns.amount_with_percent = true;
    columns.percent = 0;
    columns.bar = 10;
    columns.age = 6;
  }
  constexpr std::size_t kSmallestItem = 8, kLongestBar = 40;
  const auto taken = taken_by(columns);
  columns.item = look.width > taken + kSmallestItem ? look.width - taken : kSmallestItem;
  std::size_t longest = kSmallestItem;
  for (const auto& upload : uploads)
    longest = std::max(longest, display_width(name_of(upload, look.several_backups)));
  if (columns.bar > 0 && columns.item > longest) {  // what no name needs makes the bars finer
    const auto more = std::min(columns.item - longest, kLongestBar - columns.bar);
    columns.item -= more;
    columns.bar += more;
  }
  return columns;
}

char glyph_of(const UploadRow& upload) {
  switch (group_of(upload)) {
    case Group::trouble:
      return '!';
    case Group::moving:
      return '>';
    case Group::pending:
      return '=';
    case Group::finished:
      return '+';
  }
  return ' ';
}

bool is_late(const UploadRow& upload) {
  return group_of(upload) == Group::moving && upload.freshness.state != Freshness::live;
}

std::string state_label(const UploadRow& upload) {
  if (is_late(upload)) return "late";
  if (!upload.state) return cut_end(upload.state_word, 10, false);
  switch (*upload.state) {
    case UploadState::pending:
      return "pending";
    case UploadState::waiting:
      return "waiting";
    case UploadState::running:
      return upload.activity.empty() ? "running" : upload.activity;
    case UploadState::stalled:
      return "STALLED";
    case UploadState::cancelling:
      return "cancelling";
    case UploadState::lost:
      return "LOST";
    case UploadState::completed:
      return "done";
    case UploadState::failed:
      return "FAILED";
    case UploadState::incomplete:
      return "incomplete";
    case UploadState::canceled:
      return "canceled";
  }
  return "";
}

Tone row_tone(const UploadRow& upload) {
  return is_late(upload) ? Tone::dim : tone_of(upload);
}

// What a finished or pending row says where others have bar, rate, ETA and age.
std::string remark_of(const UploadRow& upload) {
  if (upload.state == UploadState::pending)
    return upload.reason.empty() ? "nobody has reported yet" : upload.reason;
  if (!upload.err.empty()) return upload.err;
  std::string text;
  if (upload.started && upload.updated) text = "took " + human_age(upload.started, *upload.updated);
  if (upload.bytes_sent)
    text += (text.empty() ? "sent " : ", sent ") + human_bytes(*upload.bytes_sent);
  return text;
}

std::string reason_of(const UploadRow& upload) {
  if (!upload.err.empty()) return upload.err;
  return upload.reason.empty() ? upload.retrieval_error : upload.reason;
}

// "?" while the total is not known; "-" before there is anything to tell.
std::string percent_cell(const UploadRow& upload, bool whole) {
  if (!upload.percent && upload.done == 0) return "-";
  return whole ? whole_percent(upload.percent) : human_percent(upload.percent);
}

std::string amount_text(const UploadRow& upload, const Columns& columns) {
  const auto amount = human_amount(amount_of(upload));
  if (!columns.amount_with_percent || amount == "-") return amount;
  return amount + " " + pad_left(whole_percent(upload.percent), 4);
}

// Builds a line column by column, each followed by one blank.
class RowLine {
 public:
  explicit RowLine(bool utf8) : utf8_(utf8) {}

  void left(std::string_view text, std::size_t width, Tone tone = Tone::plain) {
    if (width > 0) put({pad_right(cut_end(text, width, utf8_), width) + " ", tone});
  }
  void name(std::string_view text, std::size_t width) {
    if (width > 0) put({pad_right(cut_middle(text, width, utf8_), width) + " ", Tone::plain});
  }
  void right(std::string_view text, std::size_t width, Tone tone = Tone::plain) {
    if (width > 0) put({pad_left(cut_end(text, width, utf8_), width) + " ", tone});
  }
  void put(Span span) { line_.push_back(std::move(span)); }
  void put(const Line& spans) { line_.insert(line_.end(), spans.begin(), spans.end()); }
  // Without the blank behind the last column.
  [[nodiscard]] Line take() {
    while (!line_.empty()) {
      auto& text = line_.back().text;
      text.resize(text.find_last_not_of(' ') + 1);  // npos + 1 = 0
      if (!text.empty()) break;
      line_.pop_back();
    }
    return std::move(line_);
  }

 private:
  bool utf8_;
  Line line_;
};

void put_bar(RowLine& line, const UploadRow& upload, const Columns& columns, const RowsLook& look) {
  const auto fraction = upload.percent ? std::optional(*upload.percent / 100) : std::nullopt;
  const auto phase =
      static_cast<std::size_t>(std::chrono::floor<seconds>(look.now.time_since_epoch()).count());
  BarLook bar_look{columns.bar, look.utf8, phase, row_tone(upload)};
  if (!look.utf8) {
    bar_look.width -= 2;
    line.put({"[", Tone::plain});
  }
  line.put(bar(fraction, bar_look));
  line.put({look.utf8 ? " " : "] ", Tone::plain});
}

void put_numbers(RowLine& line, const UploadRow& upload, const Columns& columns,
                 const RowsLook& look) {
  line.right(human_rate(upload.rate, upload.units, true), columns.rate);
  line.right(human_duration(upload.eta_seconds), columns.eta);
  line.right(human_age(upload.updated, look.now), columns.age, Tone::dim);
}

Line row_line(const UploadRow& upload, const Columns& columns, const RowsLook& look) {
  RowLine line(look.utf8);
  line.put({std::string(1, glyph_of(upload)) + " ", row_tone(upload)});
  line.left(state_label(upload), columns.state, row_tone(upload));
  line.name(name_of(upload, look.several_backups), columns.item);
  line.left(upload.node.empty() ? "-" : upload.node, columns.node);
  line.right(amount_text(upload, columns), columns.amount);
  line.right(percent_cell(upload, false), columns.percent);
  const auto group = group_of(upload);
  if (columns.bar > 0 && (group == Group::finished || group == Group::pending)) {
    const auto width = columns.bar + columns.rate + columns.eta + columns.age + 3;
    line.left(remark_of(upload), width, Tone::dim);
    return line.take();
  }
  if (columns.bar > 0) put_bar(line, upload, columns, look);
  put_numbers(line, upload, columns, look);
  return line.take();
}

// "! shop/pg-data-0  67% STALLED 3m": for a split window.
Line tiny_line(const UploadRow& upload, const RowsLook& look) {
  constexpr std::size_t kPercent = 5, kState = 10, kTime = 6;
  const auto fixed = 2 + kPercent + 1 + kState + 1 + kTime;
  const auto name = look.width > fixed + 5 ? look.width - fixed - 1 : 5;
  RowLine line(look.utf8);
  line.put({std::string(1, glyph_of(upload)) + " ", row_tone(upload)});
  line.name(short_item(upload.item), name);
  line.right(percent_cell(upload, true), kPercent);
  line.left(state_label(upload), kState, row_tone(upload));
  const auto time = group_of(upload) == Group::moving ? human_duration(upload.eta_seconds)
                                                      : human_age(upload.since, look.now);
  line.left(time, kTime, Tone::dim);
  return line.take();
}

Line heading(const Columns& columns) {
  RowLine line(false);
  line.put({"  ", Tone::plain});
  line.left("STATE", columns.state, Tone::bold);
  line.left("ITEM", columns.item, Tone::bold);
  line.left("NODE", columns.node, Tone::bold);
  line.right("DONE/TOTAL", columns.amount, Tone::bold);
  line.right("%", columns.percent, Tone::bold);
  line.left("PROGRESS", columns.bar, Tone::bold);
  line.right("RATE", columns.rate, Tone::bold);
  line.right("ETA", columns.eta, Tone::bold);
  line.right("AGE", columns.age, Tone::bold);
  return line.take();
}

Line reason_line(const UploadRow& upload, const RowsLook& look) {
  const std::string lead = look.utf8 ? "  └ " : "  '- ";
  const auto width = look.width > display_width(lead) ? look.width - display_width(lead) : 1;
  return {{lead, Tone::dim}, {cut_end(reason_of(upload), width, look.utf8), Tone::dim}};
}

Lines lines_of(const UploadRow& upload, const Columns& columns, const RowsLook& look) {
  Lines lines;
  lines.push_back(look.width < 60 ? tiny_line(upload, look) : row_line(upload, columns, look));
  if (is_trouble(upload) && look.width >= 60 && !reason_of(upload).empty())
    lines.push_back(reason_line(upload, look));
  return lines;
}

// "… 31 more: 28 done, 2 pending, 1 sending"
Line more_line(const std::vector<UploadRow>& uploads, std::size_t shown, const RowsLook& look) {
  std::map<std::string, std::size_t> by_word;
  for (auto i = shown; i < uploads.size(); ++i)
    ++by_word[state_label(uploads[i])];
  std::string text = (look.utf8 ? "  … " : "  ... ") + std::to_string(uploads.size() - shown);
  text += " more:";
  const char* between = " ";
  for (const auto& [state, number] : by_word) {
    text += between + std::to_string(number) + " " + state;
    between = ", ";
  }
  return {{cut_end(text, look.width, look.utf8), Tone::dim}};
}

bool is_stalled(const UploadRow& upload) {
  return upload.state == UploadState::stalled;
}

std::int64_t eta_rank(const UploadRow& upload) {
  return upload.eta_seconds.value_or(std::numeric_limits<std::int64_t>::max());
}

}  // namespace

void sort_for_watch(std::vector<UploadRow>& uploads) {
  std::stable_sort(uploads.begin(), uploads.end(), [](const UploadRow& a, const UploadRow& b) {
    const auto group_a = group_of(a), group_b = group_of(b);
    if (group_a != group_b) return group_a < group_b;
    if (group_a == Group::trouble && is_stalled(a) != is_stalled(b)) return is_stalled(b);
    if (group_a == Group::moving && eta_rank(a) / 60 != eta_rank(b) / 60)
      return eta_rank(a) > eta_rank(b);  // by minutes, or rows would jump about
    if (group_a == Group::finished && a.updated != b.updated) return a.updated > b.updated;
    return std::pair(a.backup, a.item) < std::pair(b.backup, b.item);
  });
}

Lines render_watch_rows(std::vector<UploadRow> uploads, const RowsLook& look) {
  sort_for_watch(uploads);
  const auto columns = columns_for(uploads, look);
  Lines lines;
  if (look.width >= 60) lines.push_back(heading(columns));
  std::size_t shown = 0;
  for (const auto& upload : uploads) {
    if (!look.finished && group_of(upload) == Group::finished) break;
    auto more = lines_of(upload, columns, look);
    const std::size_t reserve = shown + 1 < uploads.size() ? 1 : 0;  // for the "more" line
    if (look.room > 0 && lines.size() + more.size() + reserve > look.room) break;
    for (auto& line : more)
      lines.push_back(std::move(line));
    ++shown;
  }
  if (shown < uploads.size()) lines.push_back(more_line(uploads, shown, look));
  return lines;
}

}  // namespace plimsoll::cli
