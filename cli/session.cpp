// session.cpp - terminals looked at, sockets looked for, words written.
#include "cli/session.hpp"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "schemas/text.hpp"

namespace plimsoll::cli {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    auto value = variable(name);
    if (value.empty()) continue;
    std::transform(value.begin(), value.end(), value.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return value.find("utf-8") != value.npos || value.find("utf8") != value.npos;
  }
  return false;
}

bool wants_colour(const std::string& flag, bool is_terminal) {
  if (flag == "always") return true;
  if (flag == "never" || !variable("NO_COLOR").empty()) return false;
  const auto forced = variable("CLICOLOR_FORCE");
  if (!forced.empty() && forced != "0") return true;
  return is_terminal && variable("TERM") != "dumb" && !variable("TERM").empty();
}

Screen look_at_stdout(const GlobalOptions& options, bool is_terminal) {
  Screen screen;
  screen.utf8 = locale_is_utf8();
  screen.colour = wants_colour(options.color, is_terminal);
  winsize size{};
  if (is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
    screen.width = size.ws_col;
    screen.height = size.ws_row;
  }
  return screen;
}

bool is_socket(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode);
}

// Errors of a configuration have one finding per line; any other control is escaped.
std::string escaped_lines(std::string_view text) {
  std::string safe;
  while (true) {
    const auto end = text.find('\n');
    safe += escape_text(text.substr(0, end));
    if (end == text.npos) return safe;
    safe += '\n';
    text.remove_prefix(end + 1);
  }
}

void write_line(std::FILE* to, std::string_view text) {
  // A reader that has gone is noticed once, at the end of main.
  (void)std::fwrite(text.data(), 1, text.size(), to);
  (void)std::fputc('\n', to);
}

}  // namespace

Session::Session(GlobalOptions options, Environment environment)
    : options_(std::move(options)), environment_(std::move(environment)) {
  stdout_is_terminal_ = isatty(STDOUT_FILENO) == 1;
  screen_ = look_at_stdout(options_, stdout_is_terminal_);
  stderr_colour_ = wants_colour(options_.color, isatty(STDERR_FILENO) == 1);
}

Result<Endpoint> Session::find(Daemon daemon) const {
  const bool controller = daemon == Daemon::controller;
  const auto& named = controller ? options_.controller : options_.agent;
  if (!named.empty() && named != kFoundAgent) return Endpoint{daemon, named};
  const std::string name = std::string(word(daemon)) + ".sock";
  const auto directory = client_run_dir(options_.run_dir, environment_, name);
  if (!directory) return fail(directory.error());
  const auto socket = *directory + "/" + name;
  if (!is_socket(socket))
    return fail(ErrorCode::unreachable,
                "reach the " + std::string(word(daemon)) + ": there is no socket " +
                    plimsoll::quoted(socket),
                "start plimsoll-" + std::string(word(daemon)) +
                    ", or name its run directory with --run-dir or PLIMSOLL_RUN_DIR");
  return Endpoint{daemon, socket};
}

Result<Client> Session::connect(Need need) {
  const auto client = [&](const Endpoint& endpoint) { return Client(endpoint, options_.timeout); };
  if (!options_.agent.empty()) {
    if (need == Need::controller)
      return fail(ErrorCode::usage, "only the controller can do that; the agent knows uploads only",
                  "leave out --agent");
    return find(Daemon::agent).map(client);
  }
  const auto controller = find(Daemon::controller);
  if (controller || need == Need::controller) return controller.map(client);
  const auto agent = find(Daemon::agent);
  if (!agent) return fail(controller.error());
  say("plimsoll: no controller's socket; asking this node's agent " +
      plimsoll::quoted(agent->socket));
  return client(*agent);
}

void Session::print(const Lines& lines) const {
  for (const auto& line : lines)
    write_line(stdout, painted(line, screen_.colour));
}

void Session::print(std::string_view text) const {
  (void)std::fwrite(text.data(), 1, text.size(), stdout);
}

void Session::say(std::string_view text) const {
  if (!options_.quiet) write_line(stderr, text);
}

void Session::warn(std::string_view text) const {
  write_line(stderr, text);
}

int Session::report(const Error& error) const {
  auto message = escaped_lines(error.message);
  if (!error.field.empty() && message.find(error.field) == message.npos)
    message += " (" + escape_text(error.field) + ")";
  (void)std::fflush(stdout);
  warn(painted({{"plimsoll: ", Tone::red}, {message, Tone::plain}}, stderr_colour_));
  if (!error.hint.empty())
    warn(
        painted({{"  hint: ", Tone::dim}, {escape_text(error.hint), Tone::plain}}, stderr_colour_));
  return info(error.code).exit_code;
}

}  // namespace plimsoll::cli
