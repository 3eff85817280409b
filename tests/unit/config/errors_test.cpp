// errors_test.cpp - every mistake in a configuration is one clear line: place, what, what to do.
#include <rapidcheck.h>

#include <catch2/catch.hpp>

#include "config/load.hpp"
#include "config/strict_yaml.hpp"
#include "tests/unit/config/temp_dir.hpp"

using namespace plimsoll;
using test::plain_environment;

namespace {

std::string agent_error(const std::string& text, const DaemonFlags& flags = {}) {
  const auto config = parse_agent_config({"agent.yaml", text}, flags, plain_environment());
  REQUIRE_FALSE(config.has_value());
  CHECK(config.error().code == ErrorCode::config);
  return config.error().message;
}

std::string controller_error(const std::string& text) {
  const auto config = parse_controller_config({"c.yaml", text}, {}, plain_environment());
  REQUIRE_FALSE(config.has_value());
  return config.error().message;
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
}

}  // namespace

TEST_CASE("an unknown key is told with file, line, column and the nearest known key") {
  CHECK(agent_error("node: a\nswep: 1s\n") ==
        "agent.yaml:2:1: unknown key 'swep' (did you mean 'sweep'?)");
  CHECK(agent_error("socket:\n  admins:\n    uid: [0]\n") ==
        "agent.yaml:3:5: unknown key 'uid' (did you mean 'uids'?)");
  CHECK(agent_error("segments:\n  - directory: /a\n    perpod: true\n") ==
        "agent.yaml:3:5: unknown key 'perpod' (did you mean 'perPod'?)");
  CHECK(agent_error("log: {colour: yes}") ==
        "agent.yaml:1:7: unknown key 'colour'; known here: level, format");
  CHECK(agent_error("<<: {sweep: 1s}\n").find("unknown key '<<'") != std::string::npos);
}

TEST_CASE("a wrong value is told with what is allowed") {
  struct Case {
    std::string text;
    std::string message;
  };
  const std::vector<Case> cases = {
      {"sweep: 1", "1:8: 'sweep': '1' has no unit; write, say, 1s (units: ms, s, m, h, d)"},
      {"sweep: 2h", "1:8: 'sweep' is 2h; allowed: 100ms to 1m"},
      {"sweep: 0", "1:8: 'sweep' is 0; allowed: 100ms to 1m"},
      {"lostAfter: 1999ms", "1:12: 'lostAfter' is 1999ms; allowed: 2s to 30d"},
      {"sweep: [1s]", "1:8: 'sweep' must be a duration like 1s, 100ms to 1m, not a list"},
      {"sweep:\n", "1:1: 'sweep' has no value; write one or remove the key"},
      {"socket: x", "1:9: 'socket' must be a map of keys, not text"},
      {"segments: {}", "1:11: 'segments' must be a list, not a map"},
      {"segments: [x]", "1:12: 'segments[0]' must be a map of keys, not text"},
      {"limits: {total: 0}", "1:17: 'limits.total' is 0; allowed: 1 to 65536"},
      {"limits: {total: 08}",
       "1:17: 'limits.total': '08' is no whole number; write it in digits only"},
      {"limits: {total: '8'}", "1:17: 'limits.total' must be a whole number without quotes"},
      {"runDir: run", "1:9: 'runDir': 'run' is no absolute path; begin it with '/'"},
      {"log: {level: wran}",
       "1:14: 'log.level' is 'wran'; allowed: trace, debug, info, warn, error (did you mean "
       "'warn'?)"},
      {"segments: [{directory: /a, perPod: yes}]",
       "1:36: 'segments[0].perPod' is 'yes'; write true or false, without quotes"},
      {"socket: {admins: {uids: [bob]}}",
       "1:26: 'socket.admins.uids': 'bob' is no user number; write one, 0 to 4294967294, or own"},
      {"socket: {admins: {uids: [4294967295]}}",
       "1:26: 'socket.admins.uids': '4294967295' is no user number; write one, 0 to 4294967294, or "
       "own"},
      {"[a, b]", "1:1: the file must be a map of keys, not a list"},
      {"just text", "1:1: the file must be a map of keys, not text"},
  };
  for (const auto& c : cases)
    CHECK(agent_error(c.text) == "agent.yaml:" + c.message);
}

TEST_CASE("values that clash with each other are told at the place of the later one") {
  CHECK(agent_error("sweep: 10s\nrescan: 5s\n") ==
        "agent.yaml:2:9: 'rescan': is 5s, shorter than 'sweep' (10s)");
  CHECK(agent_error("segments:\n  - name: a\n") ==
        "agent.yaml:2:5: 'segments[0].directory': is missing; every entry needs one");
  CHECK(agent_error("segments: []\n").find("agent.yaml:1:11: 'segments': is empty") == 0);
  CHECK(agent_error("segments: [{directory: /a}, {name: b, directory: /a}]")
            .find("'/a' is the directory of another entry") != std::string::npos);
  CHECK(agent_error("segments: [{directory: /a}, {directory: /b}]")
            .find("'default' is the name of another entry") != std::string::npos);
  CHECK(agent_error("socket: {path: /s}\ncontroller: /s\n").find("'/s' is the path of") !=
        std::string::npos);
  CHECK(controller_error("cancelTimeout: 24s") ==
        "c.yaml:1:16: 'cancelTimeout' is 24s; allowed: 25s to 1h");
  CHECK(controller_error("uplink: {path: /s}\nsocket: {path: /s}\n")
            .find("c.yaml:1:16: 'uplink.path'") == 0);
  CHECK(controller_error("trackers: [{name: a}]").find("'trackers[0].address': is missing") !=
        std::string::npos);
  CHECK(controller_error("trackers: [{name: a, address: 'unix:/x'}, {name: a, address: 'unix:/y'}]")
            .find("'trackers[1].name': 'a' is the name of another entry") != std::string::npos);
}

TEST_CASE("a run directory too long for its sockets is refused with path and length") {
  DaemonFlags flags;
  flags.run_dir = "/" + std::string(100, 'r');
  const auto message = agent_error("", flags);
  CHECK(message.find("'socket.path': socket path '/rrrr") != std::string::npos);
  CHECK(message.find("has 112 bytes, at most 107") != std::string::npos);
}

TEST_CASE("several mistakes are listed at once in the order of the file, twenty at most") {
  const auto message = agent_error("lostAfter: 1s\nfoo: 1\nsweep: x\nbar: 2\n");
  CHECK(lines_of(message) == 4);
  CHECK(message.find("agent.yaml:1:12:") == 0);
  CHECK(message.find("agent.yaml:2:1:") < message.find("agent.yaml:3:8:"));
  std::string many;
  for (int i = 0; i < 50; ++i)
    many += "zzzzzz" + std::to_string(i) + ": 1\n";
  const auto bounded = agent_error(many);
  CHECK(lines_of(bounded) == 21);
  CHECK(bounded.find("and 30 more") != std::string::npos);
}

TEST_CASE("nothing of the file reaches a terminal unescaped") {
  const auto message = agent_error("\"a\\e[31m\": 1\n");
  CHECK(message.find('\x1b') == std::string::npos);
  const auto bidi = agent_error(
      "\"a\xe2\x80\xae"
      "b\": 1\n");
  CHECK(bidi.find("\xe2\x80\xae") == std::string::npos);
  const auto c1 = agent_error("node: \"\\x9b31m\"\n");
  CHECK(c1.find("\xc2\x9b") == std::string::npos);
  CHECK(agent_error(std::string(60000, 'k') + ": 1\n").size() < 1000);
}

TEST_CASE("an unknown log level on the command line is a usage error") {
  DaemonFlags flags;
  flags.log_level = "loud";
  const auto config = parse_agent_config({"", ""}, flags, plain_environment());
  REQUIRE_FALSE(config.has_value());
  CHECK(config.error().code == ErrorCode::usage);
}

TEST_CASE("any sequence of known words gives a configuration or findings, never a crash") {
  const bool held = rc::check("random configuration", [] {
    const auto word = rc::gen::element<std::string>(
        "segments", "socket", "uplink", "admins", "uids", "allow", "name", "directory", "limits",
        "total", "trackers", "address", ": ", ":\n  ", "\n", "\n  ", "- ", "[", "]", "{", "}", ", ",
        "1s", "7", "/x", "own", "true", "'*'", "~");
    std::string text;
    for (const auto& part : *rc::gen::container<std::vector<std::string>>(word))
      text += part;
    const auto agent = parse_agent_config({"f", text}, {}, plain_environment());
    const auto controller = parse_controller_config({"f", text}, {}, plain_environment());
    if (!agent) RC_ASSERT(!agent.error().message.empty());
    if (!controller) RC_ASSERT(lines_of(controller.error().message) <= kMaxFindings + 1);
  });
  CHECK(held);
}
