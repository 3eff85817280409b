// help.hpp - the text of --help, and what a mistyped word may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace plimsoll::cli {

// "plimsoll get uploads": the command with those it belongs to.
[[nodiscard]] std::string full_name(const CLI::App& app);

// Usage, arguments, flags, commands and the examples of `app`.
[[nodiscard]] std::string help_text(const CLI::App& app);

// The one that is at most two edits away, or "". Pure.
[[nodiscard]] std::string nearest_word(std::string_view typed,
                                       const std::vector<std::string>& known);

// Commands and long flags that `app` understands.
[[nodiscard]] std::vector<std::string> known_words(const CLI::App& app);

}  // namespace plimsoll::cli
