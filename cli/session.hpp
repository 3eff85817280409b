// session.hpp - one run of the command: its global options, where its words go, and how it finds a
// daemon. Data goes to stdout, the rest to stderr. Main thread only.
#pragma once

#include <string>
#include <string_view>

#include "cli/client.hpp"
#include "cli/styled.hpp"
#include "config/paths.hpp"
#include "runtime/clock.hpp"
#include "schemas/result.hpp"
#include "schemas/time.hpp"

namespace plimsoll::cli {

enum class Format { table, wide, json, yaml, name };

inline constexpr const char* kFoundAgent =
    "found";  // --agent alone; sockets are named with a slash

// Global flags as given; "" = not given.
struct GlobalOptions {
  std::string run_dir;     // --run-dir
  std::string controller;  // --controller SOCK
  std::string agent;       // --agent=SOCK, or kFoundAgent
  Format format = Format::table;
  bool no_headers = false;
  std::string color = "auto";
  milliseconds timeout{10'000};
  bool timeout_given = false;
  bool quiet = false;
};

// Who can serve a command: backups and nodes are the controller's, uploads both know.
enum class Need { controller, any_daemon };

class Session {
 public:
  Session(GlobalOptions options, Environment environment);

  [[nodiscard]] const GlobalOptions& options() const { return options_; }
  [[nodiscard]] const Environment& environment() const { return environment_; }
  [[nodiscard]] const Screen& screen() const { return screen_; }  // of stdout
  [[nodiscard]] bool stdout_is_terminal() const { return stdout_is_terminal_; }
  [[nodiscard]] WallTime wall() const { return clock_.wall(); }
  // Real time, pauses included: a person's --timeout goes on while we are stopped.
  [[nodiscard]] TimePoint now() const { return TimePoint(Duration(boottime_ns())); }

  // The daemon to ask. Falls back to the agent where there is no controller's socket, and says so.
  [[nodiscard]] Result<Client> connect(Need need);
  // Its socket, whether or not anybody listens there; unreachable if there is none.
  [[nodiscard]] Result<Endpoint> find(Daemon daemon) const;

  void print(const Lines& lines) const;     // stdout
  void print(std::string_view text) const;  // stdout, as it is
  void say(std::string_view text) const;    // stderr; not with --quiet
  void warn(std::string_view text) const;   // stderr, always
  int report(const Error& error) const;     // stderr; returns the exit code

 private:
  GlobalOptions options_;
  Environment environment_;
  Clock clock_;
  Screen screen_;
  bool stdout_is_terminal_ = false;
  bool stderr_colour_ = false;
};

}  // namespace plimsoll::cli
