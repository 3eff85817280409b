// load_test.cpp - where configuration comes from: file, flags, environment, defaults.
#include "config/load.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/config/temp_dir.hpp"

using namespace plimsoll;
using namespace std::chrono_literals;
using test::plain_environment;
using test::TempDir;

TEST_CASE("without file, flags and variables everything has its default") {
  const auto agent = load_agent_config({}, plain_environment());
  REQUIRE(agent.has_value());
  CHECK(agent->node == "node-1");
  CHECK(agent->run_dir == "/run/plimsoll");
  REQUIRE(agent->segments.size() == 1);
  CHECK(agent->segments[0].name == "default");
  CHECK(agent->segments[0].directory == "/run/plimsoll/segments");
  CHECK(agent->segments[0].allow.items == std::vector<std::string>{"*"});
  CHECK(agent->socket.path == "/run/plimsoll/agent.sock");
  CHECK(agent->controller == "/run/plimsoll/uplink.sock");
  CHECK(agent->has_controller());
  CHECK(agent->sweep == 1s);
  CHECK(agent->limits.total == 16384);

  const auto controller = load_controller_config({}, plain_environment());
  REQUIRE(controller.has_value());
  CHECK(controller->run_dir == "/run/plimsoll");
  CHECK(controller->state_dir == "/var/lib/plimsoll");
  CHECK(controller->node.empty());  // the first agent's
  CHECK(controller->socket.path == "/run/plimsoll/controller.sock");
  CHECK(controller->uplink.path == "/run/plimsoll/uplink.sock");
  CHECK(controller->uplink.agent_uids == std::vector<uid_t>{0});
  CHECK(controller->store_sqlite == "/var/lib/plimsoll/controller.db");
  CHECK(controller->cancel_timeout == 30s);
  CHECK(controller->upload_timeout == 0s);
  CHECK(controller->keep_backups == std::chrono::days(90));
}

TEST_CASE("where NODE_NAME is set, it names the node for both daemons") {
  auto env = plain_environment();
  env.node_name = "worker-7";
  CHECK(load_agent_config({}, env)->node == "worker-7");
  CHECK(load_controller_config({}, env)->node == "worker-7");
}

TEST_CASE("the controller hears root's agents and its own user's") {
  auto env = plain_environment();
  env.uid = 990;
  env.xdg_runtime_dir = "/run/user/990";
  env.home = "/home/p";
  const auto config = load_controller_config({}, env);
  REQUIRE(config.has_value());
  CHECK(config->uplink.agent_uids == std::vector<uid_t>{0, 990});
  CHECK(config->run_dir == "/run/user/990/plimsoll");
  const auto given =
      parse_controller_config({"", "uplink: {agents: {uids: [own, 7, 990]}}"}, {}, env);
  REQUIRE(given.has_value());
  CHECK(given->uplink.agent_uids == std::vector<uid_t>{990, 7});
}

TEST_CASE("every value of the file arrives") {
  const auto config = parse_agent_config({"agent.yaml", R"(
node: n7
runDir: /r
segments:
  - name: a
    directory: /r/a
    perPod: true
    allow: {uids: [0, 12], groups: [ops, '5'], backups: ['n-*'], items: [x]}
  - name: b
    directory: /r/b
socket: {path: /r/s, group: ops, admins: {uids: [1], groups: [adm]}}
controller: none
sweep: 500ms
lostAfter: 2s
keepFinished: 0
limits: {perDirectory: 5, logPerReason: 1}
metrics: {listen: '127.0.0.1:9750', uploads: 0}
log: {level: warn, format: json}
)"},
                                         {}, plain_environment());
  REQUIRE(config.has_value());
  CHECK(config->node == "n7");
  CHECK(config->run_dir == "/r");
  REQUIRE(config->segments.size() == 2);
  CHECK(config->segments[0].per_pod);
  CHECK(config->segments[0].allow.uids == std::vector<uid_t>{0, 12});
  CHECK(config->segments[0].allow.groups == std::vector<std::string>{"ops", "5"});
  CHECK(config->segments[0].allow.backups == std::vector<std::string>{"n-*"});
  CHECK(config->segments[1].allow.backups == std::vector<std::string>{"*"});
  CHECK(config->socket.admins.groups == std::vector<std::string>{"adm"});
  CHECK_FALSE(config->has_controller());
  CHECK(config->sweep == 500ms);
  CHECK(config->keep_finished == 0s);
  CHECK(config->limits.per_directory == 5);
  CHECK(config->limits.total == 16384);
  CHECK(config->metrics.listen == "127.0.0.1:9750");
  CHECK(config->log.format == "json");
}

TEST_CASE("flags come before variables, variables before the file, the file before defaults") {
  const ConfigText source{"f", "runDir: /from/file\n"};
  auto env = plain_environment();
  CHECK(parse_agent_config(source, {}, env)->socket.path == "/from/file/agent.sock");
  env.plimsoll_run_dir = "/from/env";
  CHECK(parse_agent_config(source, {}, env)->run_dir == "/from/env");
  DaemonFlags flags;
  flags.run_dir = "/from/flag";
  flags.log_level = "debug";
  const auto config = parse_agent_config(source, flags, env);
  CHECK(config->segments[0].directory == "/from/flag/segments");
  CHECK(config->log.level == "debug");
}

TEST_CASE("the node's name is the key, else NODE_NAME, else the host's") {
  auto env = plain_environment();
  env.node_name = "from-env";
  CHECK(parse_agent_config({"f", ""}, {}, env)->node == "from-env");
  CHECK(parse_agent_config({"f", "node: ''"}, {}, env)->node == "from-env");
  CHECK(parse_agent_config({"f", "node: k"}, {}, env)->node == "k");
  env.node_name = "bad name";
  const auto bad = parse_agent_config({"", ""}, {}, env);
  REQUIRE_FALSE(bad.has_value());
  CHECK(bad.error().message.find("'bad name' is no node name") != std::string::npos);
}

TEST_CASE("the file in /etc is read only if no run directory was given") {
  const TempDir dir;
  auto env = plain_environment();
  env.uid = geteuid();
  env.config_dir = dir.path();
  env.xdg_runtime_dir = dir.path();
  DaemonFlags flags;
  CHECK(config_file_to_read(flags, env, "agent.yaml").empty());
  const auto file = dir.make_file("agent.yaml", "sweep: 3s\n");
  CHECK(config_file_to_read(flags, env, "agent.yaml") == file);
  CHECK(config_file_to_read(flags, env, "controller.yaml").empty());
  CHECK(load_agent_config(flags, env)->sweep == 3s);
  env.plimsoll_run_dir = "/x";
  CHECK(load_agent_config(flags, env)->sweep == 1s);
  env.plimsoll_run_dir = "";
  flags.run_dir = "/x";
  CHECK(load_agent_config(flags, env)->sweep == 1s);
  flags.config_file = file;
  const auto both = load_agent_config(flags, env);
  CHECK(both->sweep == 3s);
  CHECK(both->run_dir == "/x");
}

TEST_CASE("a file that is not there, no file, or not to be trusted is refused with its path") {
  const TempDir dir;
  auto env = plain_environment();
  env.uid = geteuid();
  const auto message = [&](const std::string& path) {
    DaemonFlags flags;
    flags.config_file = path;
    const auto config = load_agent_config(flags, env);
    REQUIRE_FALSE(config.has_value());
    CHECK(config.error().code == ErrorCode::config);
    CHECK(config.error().message.find(path) != std::string::npos);
    return config.error().message;
  };
  CHECK(message(dir.path() + "/none").find("No such file") != std::string::npos);
  CHECK(message(dir.path()).find("not a regular file") != std::string::npos);
  const auto fifo = dir.path() + "/fifo";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(message(fifo).find("not a regular file") != std::string::npos);
  CHECK(message(dir.make_file("open", "", 0666)).find("writable by others") != std::string::npos);
  const auto large = dir.make_file("large", std::string(70000, '#'));
  CHECK(message(large).find("larger than 64 KiB") != std::string::npos);
  env.gid = 4711;
  const auto shared = dir.make_file("shared", "", 0664);
  struct stat info {};
  REQUIRE(stat(shared.c_str(), &info) == 0);
  if (geteuid() == 0) {
    REQUIRE(chown(shared.c_str(), 0, 4712) == 0);
    CHECK(message(shared).find("writable by group 4712") != std::string::npos);
    const auto foreign = dir.make_file("foreign", "");
    REQUIRE(chown(foreign.c_str(), 4711, 0) == 0);
    CHECK(message(foreign).find("owned by uid 4711") != std::string::npos);
  }
}

TEST_CASE("a link to a trusted file is followed, as a mounted ConfigMap needs") {
  const TempDir dir;
  auto env = plain_environment();
  env.uid = geteuid();
  const auto file = dir.make_file("real", "sweep: 4s\n");
  DaemonFlags flags;
  flags.config_file = dir.path() + "/link";
  flags.run_dir = "/x";
  REQUIRE(symlink(file.c_str(), flags.config_file.c_str()) == 0);
  CHECK(load_agent_config(flags, env)->sweep == 4s);
}
