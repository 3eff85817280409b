// version.cpp - our own version always; the daemons' where they answer soon. Never fails for want
// of one.
#include "cli/commands/version.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>

#include "cli/commands/print.hpp"
#include "cli/documents.hpp"

namespace plimsoll::cli {
namespace {

using nlohmann::json;

constexpr milliseconds kPatience{1000};

// "" if the daemon is not there or does not say.
std::string version_of(const Session& session, Daemon daemon) {
  const auto endpoint = session.find(daemon);
  if (!endpoint) return "";
  const auto patience = session.options().timeout_given ? session.options().timeout : kPatience;
  const auto answer = Client(*endpoint, patience).get("/version");
  return answer ? text_at(*answer, "version") : "";
}

int version(Session& session) {
  const auto agent = version_of(session, Daemon::agent);
  const auto controller = version_of(session, Daemon::controller);
  if (wants_document(session)) {
    json document = {{"version", PLIMSOLL_VERSION}};
    if (!agent.empty()) document["agentVersion"] = agent;
    if (!controller.empty()) document["controllerVersion"] = controller;
    print_document(session, document);
    return 0;
  }
  session.print(std::string("plimsoll    ") + PLIMSOLL_VERSION + "\n");
  session.print("agent       " + (agent.empty() ? "-" : agent) + "\n");
  session.print("controller  " + (controller.empty() ? "-" : controller) + "\n");
  return 0;
}

}  // namespace

void add_version(CLI::App& app, CommandLine& line) {
  app.callback([&line] { line.choose(&version); });
}

}  // namespace plimsoll::cli
