// healthcheck.cpp - asks /readyz; the body of a 503 says why not.
#include "cli/commands/healthcheck.hpp"

#include <CLI/CLI.hpp>

#include <string>

#include "cli/documents.hpp"
#include "runtime/http/http_client.hpp"
#include "schemas/text.hpp"

namespace plimsoll::cli {
namespace {

struct HealthOptions {
  std::string daemon;  // "" = the one that other commands would ask
};

constexpr int kReady = 200;

// One line out of a body that may be text, an Error, or {"reasons":[…]}.
std::string reasons_in(const std::string& body) {
  const auto document = nlohmann::json::parse(body, nullptr, false);
  const auto message = text_at(document, "message");
  if (!message.empty()) return message;
  if (!document.is_object() || !document.contains("reasons"))
    return escape_text(cut_utf8(body, 500));
  std::string text;
  for (const auto& reason : document["reasons"]) {
    if (!reason.is_string()) continue;
    text += (text.empty() ? "" : "; ") + escape_text(reason.get_ref<const std::string&>());
  }
  return text;
}

Result<Endpoint> endpoint_of(Session& session, const std::string& daemon) {
  if (daemon == "agent") return session.find(Daemon::agent);
  if (daemon == "controller") return session.find(Daemon::controller);
  return session.connect(Need::any_daemon).map([](const Client& client) {
    return client.endpoint();
  });
}

int healthcheck(Session& session, const HealthOptions& options) {
  const auto endpoint = endpoint_of(session, options.daemon);
  if (!endpoint) return session.report(endpoint.error());
  HttpCall call;
  call.socket = endpoint->socket;
  call.path = "/readyz";
  call.timeout = session.options().timeout;
  const auto reply = http_call(call);
  if (!reply) return session.report(reply.error());
  const std::string name(word(endpoint->daemon));
  if (reply->status == kReady) {
    if (!session.options().quiet) session.print(name + " is ready\n");
    return 0;
  }
  const auto reasons = reasons_in(reply->body);
  session.warn("plimsoll: the " + name + " is not ready" + (reasons.empty() ? "" : ": " + reasons));
  return 1;
}

}  // namespace

void add_healthcheck(CLI::App& app, CommandLine& line) {
  auto& options = line.keep<HealthOptions>();
  app.add_option("DAEMON", options.daemon,
                 "agent or controller (default: the controller, or the agent if there is none)")
      ->type_name("")
      ->check(CLI::IsMember({"agent", "controller"}));
  app.callback([&line, &options] {
    line.choose([&options](Session& session) { return healthcheck(session, options); });
  });
}

}  // namespace plimsoll::cli
