// help.cpp - one layout for every command: the purpose first, then how, then examples.
#include "cli/help.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <CLI/CLI.hpp>

namespace plimsoll::cli {
namespace {

constexpr std::size_t kColumn = 26;  // where explanations begin

bool is_help(const CLI::Option& option) {
  return option.get_name() == "--help";
}

// Without the list of allowed values that the parser appends to it.
std::string type_of(const CLI::Option& option) {
  const auto type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

std::string spelling_of(const CLI::Option& option) {
  std::string text;
  for (const auto& name : option.get_snames())
    text += "-" + name + ", ";
  for (const auto& name : option.get_lnames())
    text += "--" + name + ", ";
  text.resize(text.size() - 2);
  if (text == "--agent") return text + "[=SOCK]";  // the only flag with a value of its own choice
  const auto type = type_of(option);
  return type.empty() || option.get_items_expected_max() == 0 ? text : text + " " + type;
}

std::string argument_of(const CLI::Option& option) {
  auto name = option.get_name();
  if (option.get_items_expected_max() > 1) name += "...";
  return option.get_required() ? name : "[" + name + "]";
}

void add_entry(std::string& out, const std::string& left, const std::string& right) {
  out += "  " + left;
  if (left.size() + 4 > kColumn)
    out += "\n" + std::string(kColumn, ' ');
  else
    out += std::string(kColumn - 2 - left.size(), ' ');
  out += right + "\n";
}

std::vector<const CLI::Option*> options_of(const CLI::App& app, bool positional) {
  return app.get_options(
      [positional](const CLI::Option* option) { return option->get_positional() == positional; });
}

std::string usage_of(const CLI::App& app) {
  std::string usage = full_name(app);
  if (!app.get_subcommands({}).empty()) usage += " COMMAND";
  if (options_of(app, false).size() > 1) usage += " [flags]";
  for (const auto* argument : options_of(app, true))
    usage += " " + argument_of(*argument);
  if (app.get_name() == "run") usage += " -- COMMAND [arguments]";
  return usage;
}

}  // namespace

std::string full_name(const CLI::App& app) {
  if (app.get_parent() == nullptr) return app.get_name();
  return full_name(*app.get_parent()) + " " + app.get_name();
}

std::string help_text(const CLI::App& app) {
  std::string out = full_name(app) + " - " + app.get_description() + "\n\n";
  out += "Usage: " + usage_of(app) + "\n";
  const auto arguments = options_of(app, true);
  if (!arguments.empty()) out += "\nArguments:\n";
  for (const auto* argument : arguments)
    add_entry(out, argument_of(*argument), argument->get_description());
  const auto commands = app.get_subcommands({});
  if (!commands.empty()) out += "\nCommands:\n";
  for (const auto* command : commands)
    add_entry(out, command->get_name(), command->get_description());
  const auto flags = options_of(app, false);
  if (flags.size() > 1) out += app.get_parent() == nullptr ? "\nGlobal flags:\n" : "\nFlags:\n";
  for (const auto* flag : flags)
    if (!is_help(*flag)) add_entry(out, spelling_of(*flag), flag->get_description());
  return out + "\n" + app.get_footer() + "\n";
}

std::string nearest_word(std::string_view typed, const std::vector<std::string>& known) {
  constexpr std::size_t kFarthest = 2;
  constexpr std::size_t kLongest = 64;
  std::string best;
  std::size_t best_distance = kFarthest + 1;
  if (typed.size() > kLongest) return best;
  for (const auto& word : known) {
    std::vector<std::size_t> row(word.size() + 1);  // Levenshtein, one row at a time
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= typed.size(); ++i) {
      auto diagonal = std::exchange(row[0], i);
      for (std::size_t j = 1; j <= word.size(); ++j) {
        const auto above = row[j];
        const auto change = diagonal + (typed[i - 1] == word[j - 1] ? 0U : 1U);
        row[j] = std::min({above + 1, row[j - 1] + 1, change});
        diagonal = above;
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = word;
    }
  }
  return best;
}

std::vector<std::string> known_words(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::App* here = &app; here != nullptr; here = here->get_parent()) {
    for (const auto* command : here->get_subcommands({}))
      words.push_back(command->get_name());
    for (const auto* option : here->get_options())
      for (const auto& name : option->get_lnames())
        words.push_back("--" + name);
  }
  return words;
}

}  // namespace plimsoll::cli
