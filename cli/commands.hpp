// commands.hpp - the explicit table of commands: a name, a line of help, examples, and who adds its
// flags.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/session.hpp"

namespace CLI {
class App;
}

namespace plimsoll::cli {

// What the parser fills in. A command's add function keeps its options here and says what to call.
class CommandLine {
 public:
  GlobalOptions global;
  std::vector<std::string> tool_command;  // of `run`: everything behind "--", untouched

  // Options that live as long as the command line.
  template <typename Options>
  Options& keep() {
    auto slot = std::make_unique<Kept<Options>>();
    Options& options = slot->options;
    kept_.push_back(std::move(slot));
    return options;
  }
  void choose(std::function<int(Session&)> command) { chosen_ = std::move(command); }
  [[nodiscard]] const std::function<int(Session&)>& chosen() const { return chosen_; }

 private:
  struct Slot {
    virtual ~Slot() = default;
  };
  template <typename Options>
  struct Kept : Slot {
    Options options;
  };
  std::vector<std::unique_ptr<Slot>> kept_;
  std::function<int(Session&)> chosen_;
};

struct Command {
  std::string_view name;
  std::string_view summary;
  std::string_view examples;  // one a line
  void (*add)(CLI::App& app, CommandLine& line);
};

[[nodiscard]] std::span<const Command> commands();

// A subcommand of `app` with its help; for the table and for commands that have commands of their
// own.
CLI::App& add_command(CLI::App& app, const Command& command, CommandLine& line);

}  // namespace plimsoll::cli
