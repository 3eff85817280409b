// styled.hpp - text for a terminal as a value: spans with a tone, widths in columns, bars. Pure.
// Whatever goes in must have passed escape_text(): nothing here looks for control characters.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::cli {

// Only the eight ANSI colours, bold and dim; a word or a glyph always carries the same meaning.
enum class Tone { plain, bold, dim, red, yellow, green, cyan };

struct Span {
  std::string text;
  Tone tone = Tone::plain;
  bool operator==(const Span&) const = default;
};

using Line = std::vector<Span>;
using Lines = std::vector<Line>;

// What the reader's terminal can show.
struct Screen {
  std::size_t width = 0;   // columns; 0 = no bound (a pipe or a file)
  std::size_t height = 0;  // rows; 0 = no bound
  bool utf8 = false;       // else bars, ellipses and rules are ASCII
  bool colour = false;
};

// One character and the columns it takes: 0 (combining), 1 or 2 (East Asian wide).
struct Glyph {
  std::string_view bytes;
  std::size_t width = 1;
};
[[nodiscard]] Glyph first_glyph(std::string_view text);  // `text` must not be empty

[[nodiscard]] std::size_t display_width(std::string_view text);
[[nodiscard]] std::size_t display_width(const Line& line);

[[nodiscard]] std::string pad_right(std::string text, std::size_t width);
[[nodiscard]] std::string pad_left(std::string text, std::size_t width);

// At most `width` columns: what is too long loses its end, or its middle (both ends of a name tell
// more).
[[nodiscard]] std::string cut_end(std::string_view text, std::size_t width, bool utf8);
[[nodiscard]] std::string cut_middle(std::string_view text, std::size_t width, bool utf8);

[[nodiscard]] Line cut_end(const Line& line, std::size_t width, bool utf8);

// `width` columns without brackets, with eighths in UTF-8. No fraction = not known: a block whose
// place depends on `phase` (any counter), never a length.
struct BarLook {
  std::size_t width = 20;
  bool utf8 = false;
  std::size_t phase = 0;
  Tone tone = Tone::cyan;
};
[[nodiscard]] Line bar(std::optional<double> fraction, const BarLook& look);

[[nodiscard]] std::string rule(std::size_t width, bool utf8);

// SGR sequence that switches to `tone` from any other.
[[nodiscard]] std::string_view escape_of(Tone tone);

// The line as bytes, without trailing blanks; with escapes only if `colour`.
[[nodiscard]] std::string painted(const Line& line, bool colour);

}  // namespace plimsoll::cli
