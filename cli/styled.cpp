// styled.cpp - widths, cuts, bars and escapes.
#include "cli/styled.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace plimsoll::cli {
namespace {

struct Range {
  std::uint32_t first, last;
};

// The blocks that matter for names; the rest counts as one column.
constexpr std::array kCombining = {
    Range{0x0300, 0x036F},  Range{0x0483, 0x0489}, Range{0x0591, 0x05BD}, Range{0x0610, 0x061A},
    Range{0x064B, 0x065F},  Range{0x0E34, 0x0E3A}, Range{0x1AB0, 0x1AFF}, Range{0x1DC0, 0x1DFF},
    Range{0x200B, 0x200D},  Range{0x20D0, 0x20FF}, Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F},
    Range{0xE0100, 0xE01EF}};
constexpr std::array kWide = {
    Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},   Range{0x3041, 0x33FF},
    Range{0x3400, 0x4DBF},   Range{0x4E00, 0x9FFF},   Range{0xA000, 0xA4CF},
    Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE4F},
    Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},   Range{0x1F300, 0x1F64F},
    Range{0x1F680, 0x1F6FF}, Range{0x1F900, 0x1F9FF}, Range{0x20000, 0x3FFFD}};

template <std::size_t N>
bool is_in(std::uint32_t point, const std::array<Range, N>& ranges) {
  return std::any_of(ranges.begin(), ranges.end(), [point](const Range& range) {
    return point >= range.first && point <= range.last;
  });
}

std::size_t sequence_length(unsigned char first) {
  if (first < 0xC0) return 1;
  if (first < 0xE0) return 2;
  return first < 0xF0 ? 3 : 4;
}

std::uint32_t point_of(std::string_view bytes) {
  const auto first = static_cast<unsigned char>(bytes[0]);
  if (bytes.size() == 1) return first;
  std::uint32_t point = first & (0xFFU >> (bytes.size() + 1));
  for (const char tail : bytes.substr(1))
    point = (point << 6U) | (static_cast<unsigned char>(tail) & 0x3FU);
  return point;
}

// The longest start of `text` of at most `width` columns.
std::string_view head_of(std::string_view text, std::size_t width) {
  std::size_t used = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    const auto glyph = first_glyph(text.substr(end));
    if (used + glyph.width > width) break;
    used += glyph.width;
    end += glyph.bytes.size();
  }
  return text.substr(0, end);
}

std::string_view tail_of(std::string_view text, std::size_t width) {
  auto columns = display_width(text);
  while (columns > width) {
    const auto glyph = first_glyph(text);
    columns -= glyph.width;
    text.remove_prefix(glyph.bytes.size());
  }
  return text;
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  all.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i)
    all += text;
  return all;
}

Line unknown_bar(const BarLook& look) {
  constexpr std::size_t kBlock = 3;
  const std::string_view rest = look.utf8 ? "░" : ".";
  if (look.width <= kBlock) return {{repeated(rest, look.width), Tone::dim}};
  const auto room = look.width - kBlock;
  const auto step = look.phase % (2 * room);
  const auto before = step <= room ? step : 2 * room - step;  // to and fro
  return {{repeated(rest, before), Tone::dim},
          {look.utf8 ? "▒▒▒" : "<=>", look.tone},
          {repeated(rest, room - before), Tone::dim}};
}

}  // namespace

Glyph first_glyph(std::string_view text) {
  const auto length = sequence_length(static_cast<unsigned char>(text[0]));
  const auto bytes = text.substr(0, std::min(length, text.size()));
  const auto point = point_of(bytes);
  if (point < 0x300) return {bytes, 1};
  if (is_in(point, kCombining)) return {bytes, 0};
  return {bytes, is_in(point, kWide) ? std::size_t{2} : std::size_t{1}};
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const auto glyph = first_glyph(text);
    width += glyph.width;
    text.remove_prefix(glyph.bytes.size());
  }
  return width;
}

std::size_t display_width(const Line& line) {
  std::size_t width = 0;
  for (const auto& span : line)
    width += display_width(span.text);
  return width;
}

std::string pad_right(std::string text, std::size_t width) {
  const auto used = display_width(text);
  if (used < width) text.append(width - used, ' ');
  return text;
}

std::string pad_left(std::string text, std::size_t width) {
  const auto used = display_width(text);
  if (used < width) text.insert(0, width - used, ' ');
  return text;
}

std::string cut_end(std::string_view text, std::size_t width, bool utf8) {
  if (display_width(text) <= width) return std::string(text);
  const std::string_view mark = utf8 ? "…" : "~";
  if (width == 0) return "";
  return std::string(head_of(text, width - 1)).append(mark);
}

std::string cut_middle(std::string_view text, std::size_t width, bool utf8) {
  if (display_width(text) <= width) return std::string(text);
  if (width < 5) return cut_end(text, width, utf8);
  // The end tells siblings apart (data-0, data-1), so it gets the odd column.
  const auto tail = width / 2;
  std::string cut(head_of(text, width - 1 - tail));
  cut += utf8 ? "…" : "~";
  return cut.append(tail_of(text, tail));
}

Line cut_end(const Line& line, std::size_t width, bool utf8) {
  if (display_width(line) <= width) return line;
  Line cut;
  for (const auto& span : line) {
    const auto used = display_width(cut);
    const auto room = width - used;
    if (display_width(span.text) >= room) {  // it is cut, or what follows it is
      const auto shown = display_width(span.text) == room ? span.text + " " : span.text;
      cut.push_back({cut_end(shown, room, utf8), span.tone});
      return cut;
    }
    cut.push_back(span);
  }
  return cut;
}

Line bar(std::optional<double> fraction, const BarLook& look) {
  if (!fraction) return unknown_bar(look);
  const double part = std::clamp(*fraction, 0.0, 1.0);
  const auto eighths =
      static_cast<std::size_t>(std::floor(part * static_cast<double>(look.width) * 8));
  const auto full = eighths / 8;
  if (!look.utf8)
    return {{repeated("#", full), look.tone}, {repeated("-", look.width - full), Tone::dim}};
  constexpr std::array<std::string_view, 8> kPieces = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto piece = kPieces[eighths % 8];
  const auto rest = look.width - full - (piece.empty() ? 0 : 1);
  return {{repeated("█", full).append(piece), look.tone}, {repeated("░", rest), Tone::dim}};
}

std::string rule(std::size_t width, bool utf8) {
  return repeated(utf8 ? "─" : "-", width);
}

std::string_view escape_of(Tone tone) {
  switch (tone) {
    case Tone::plain:
      return "\x1b[0m";
    case Tone::bold:
      return "\x1b[0;1m";
    case Tone::dim:
      return "\x1b[0;2m";
    case Tone::red:
      return "\x1b[0;31m";
    case Tone::yellow:
      return "\x1b[0;33m";
    case Tone::green:
      return "\x1b[0;32m";
    case Tone::cyan:
      return "\x1b[0;36m";
  }
  return "\x1b[0m";
}

std::string painted(const Line& line, bool colour) {
  std::string bytes;
  auto now = Tone::plain;
  for (const auto& span : line) {
    if (span.text.empty()) continue;
    if (colour && span.tone != now) bytes += escape_of(span.tone);
    now = span.tone;
    bytes += span.text;
  }
  if (colour && now != Tone::plain) return bytes += escape_of(Tone::plain);
  const auto last = bytes.find_last_not_of(' ');
  bytes.resize(last == std::string::npos ? 0 : last + 1);
  return bytes;
}

}  // namespace plimsoll::cli
