// load.cpp - configuration of a daemon: file, flags, environment and defaults made into one value.
#include "config/load.hpp"

#include <sys/stat.h>

#include <algorithm>

#include "config/check.hpp"
#include "config/config_file.hpp"
#include "config/print_fields.hpp"
#include "config/read_fields.hpp"
#include "schemas/text.hpp"

namespace plimsoll {
namespace {

std::string line_of(const std::string& file, const YamlFinding& finding) {
  std::string text = file.empty() ? "" : escape_text(file) + ":";
  if (finding.place.line > 0)
    text += std::to_string(finding.place.line) + ":" + std::to_string(finding.place.column) + ":";
  return text.empty() ? finding.text : text + " " + finding.text;
}

// At most 20 lines, in the order of the file; how many more there are is said.
Failure fail_with(const std::string& file, std::vector<YamlFinding> findings) {
  std::stable_sort(findings.begin(), findings.end(),
                   [](const auto& a, const auto& b) { return a.place < b.place; });
  std::string message;
  const auto shown = std::min(findings.size(), kMaxFindings);
  for (std::size_t i = 0; i < shown; ++i)
    message += (i == 0 ? "" : "\n") + line_of(file, findings[i]);
  if (shown < findings.size())
    message += "\nand " + std::to_string(findings.size() - shown) + " more";
  return fail(ErrorCode::config, message);
}

Result<void> apply_log_level(LogConfig& log, const std::string& level) {
  if (level.empty()) return {};
  if (std::find(kLogLevels.begin(), kLogLevels.end(), level) == kLogLevels.end())
    return fail(ErrorCode::usage, "--log-level " + quoted(level) + ": no such level",
                "use trace, debug, info, warn or error");
  log.level = level;
  return {};
}

void set_if_empty(std::string& value, const std::string& otherwise) {
  if (value.empty()) value = otherwise;
}

const std::string& node_of(const Environment& env) {
  return env.node_name.empty() ? env.host_name : env.node_name;
}

void fill(AgentConfig& config, const Environment& env) {
  set_if_empty(config.node, node_of(env));
  set_if_empty(config.socket.path, config.run_dir + "/agent.sock");
  set_if_empty(config.controller, config.run_dir + "/uplink.sock");
}

// Not part of fill: `segments: []` in a file is a mistake, not the default.
void fill_segments(AgentConfig& config) {
  SegmentsConfig segments;
  segments.directory = config.run_dir + "/segments";
  config.segments = {segments};
}

void fill(ControllerConfig& config) {
  set_if_empty(config.socket.path, config.run_dir + "/controller.sock");
  set_if_empty(config.uplink.path, config.run_dir + "/uplink.sock");
  set_if_empty(config.store_sqlite, config.state_dir + "/controller.db");
}

void add_own_uid(UplinkConfig& uplink, uid_t own) {
  if (own != 0) uplink.agent_uids.push_back(own);
}

Result<void> fill_all(AgentConfig& config, const DaemonFlags& flags, const Environment& env) {
  auto run_dir = daemon_run_dir(flags.run_dir, env, config.run_dir);
  if (!run_dir) return fail(run_dir.error());
  config.run_dir = *run_dir;
  fill(config, env);
  return {};
}

Result<void> fill_all(ControllerConfig& config, const DaemonFlags& flags, const Environment& env) {
  auto run_dir = daemon_run_dir(flags.run_dir, env);
  if (!run_dir) return fail(run_dir.error());
  auto state_dir = daemon_state_dir(flags.state_dir, env);
  if (!state_dir) return fail(state_dir.error());
  config.run_dir = *run_dir;
  config.state_dir = *state_dir;
  config.node = env.node_name;  // an agent may have another name than the host: agent.yaml's `node`
  fill(config);
  return {};
}

// What the file does not say and is not a plain default; before the file is read, and after.
void before_file(AgentConfig&, const Environment&) {}
void before_file(ControllerConfig& config, const Environment& env) {
  add_own_uid(config.uplink, env.uid);
}
void after_file(AgentConfig& config, const KeyPlaces& places) {
  if (places.count("segments") == 0) fill_segments(config);
}
void after_file(ControllerConfig&, const KeyPlaces&) {}

// The place of the key, else of the nearest key above it that the file has.
YamlPlace place_of(const KeyPlaces& places, std::string_view key) {
  while (true) {
    if (const auto found = places.find(key); found != places.end()) return found->second;
    const auto end = key.find_last_of(".[");
    if (end == std::string_view::npos) return {};
    key = key.substr(0, end);
  }
}

std::string finding_text(const std::string& key, const std::string& problem) {
  return "'" + key + "': " + problem;
}

template <typename Config>
Result<Config> parse(const ConfigText& source, const DaemonFlags& flags, const Environment& env) {
  const auto root = parse_strict_yaml(source.text);
  if (!root) return fail_with(source.file, root.error());
  Config config;
  before_file(config, env);
  FieldReader reader(*root, env.uid);
  walk(reader, config);
  reader.finish();
  if (!reader.findings().empty()) return fail_with(source.file, reader.findings());
  if (auto level = apply_log_level(config.log, flags.log_level); !level) return fail(level.error());
  if (auto filled = fill_all(config, flags, env); !filled) return fail(filled.error());
  after_file(config, reader.places());
  std::vector<YamlFinding> findings;
  for (const auto& [key, problem] : find_conflicts(config))
    findings.push_back({place_of(reader.places(), key), finding_text(key, problem)});
  if (!findings.empty()) return fail_with(source.file, findings);
  return config;
}

template <typename Config>
Result<Config> load(const DaemonFlags& flags, const Environment& env, std::string_view name) {
  ConfigText source{config_file_to_read(flags, env, name), ""};
  if (!source.file.empty()) {
    auto text = read_config_file(source.file, env);
    if (!text) return fail(text.error());
    source.text = *text;
  }
  return parse<Config>(source, flags, env);
}

template <typename Config>
std::string print(Config config) {
  FieldPrinter printer;
  walk(printer, config);
  return printer.take();
}

}  // namespace

Result<AgentConfig> load_agent_config(const DaemonFlags& flags, const Environment& env) {
  return load<AgentConfig>(flags, env, "agent.yaml");
}

Result<ControllerConfig> load_controller_config(const DaemonFlags& flags, const Environment& env) {
  return load<ControllerConfig>(flags, env, "controller.yaml");
}

Result<AgentConfig> parse_agent_config(const ConfigText& source, const DaemonFlags& flags,
                                       const Environment& env) {
  return parse<AgentConfig>(source, flags, env);
}

Result<ControllerConfig> parse_controller_config(const ConfigText& source, const DaemonFlags& flags,
                                                 const Environment& env) {
  return parse<ControllerConfig>(source, flags, env);
}

std::string config_file_to_read(const DaemonFlags& flags, const Environment& env,
                                std::string_view name) {
  if (!flags.config_file.empty()) return flags.config_file;
  if (!flags.run_dir.empty() || !env.plimsoll_run_dir.empty()) return "";
  const auto path = env.config_dir + "/" + std::string(name);
  struct stat info {};
  return lstat(path.c_str(), &info) == 0 ? path : "";
}

std::string print_config(const AgentConfig& config) {
  return print(config);
}
std::string print_config(const ControllerConfig& config) {
  return print(config);
}

std::vector<KnownKey> agent_keys() {
  AgentConfig config;
  config.run_dir = "RUN";
  fill(config, {});
  fill_segments(config);
  FieldLister lister;
  walk(lister, config);
  return lister.take();
}

std::vector<KnownKey> controller_keys() {
  ControllerConfig config;
  config.run_dir = "RUN";
  config.state_dir = "STATE";
  add_own_uid(config.uplink, kOwnUid);
  fill(config);
  FieldLister lister;
  walk(lister, config);
  return lister.take();
}

}  // namespace plimsoll
