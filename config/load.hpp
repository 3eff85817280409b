// load.hpp - configuration of a daemon: file, flags, environment and defaults made into one value.
// Every error is ErrorCode::config (exit 78); its message has one finding per line (at most 20),
// each "FILE:LINE:COLUMN: what, and what to do", already escaped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.hpp"
#include "config/paths.hpp"
#include "schemas/result.hpp"

namespace plimsoll {

// What the daemon's command line said; "" = not given.
struct DaemonFlags {
  std::string config_file;  // --config
  std::string run_dir;      // --run-dir
  std::string state_dir;    // --state-dir
  std::string log_level;    // --log-level
};

[[nodiscard]] Result<AgentConfig> load_agent_config(const DaemonFlags& flags,
                                                    const Environment& env);
[[nodiscard]] Result<ControllerConfig> load_controller_config(const DaemonFlags& flags,
                                                              const Environment& env);

// The same from text already read; `file` is only named in errors.
struct ConfigText {
  std::string file;
  std::string text;
};
[[nodiscard]] Result<AgentConfig> parse_agent_config(const ConfigText& source,
                                                     const DaemonFlags& flags,
                                                     const Environment& env);
[[nodiscard]] Result<ControllerConfig> parse_controller_config(const ConfigText& source,
                                                               const DaemonFlags& flags,
                                                               const Environment& env);

// The file that the daemon reads: --config, else `name` in /etc/plimsoll if it is there and no run
// directory was given by flag or environment, else "" (only defaults). `name`: agent.yaml,
// controller.yaml.
[[nodiscard]] std::string config_file_to_read(const DaemonFlags& flags, const Environment& env,
                                              std::string_view name);

// The effective configuration as YAML (--print-config); loads again to the same value.
[[nodiscard]] std::string print_config(const AgentConfig& config);
[[nodiscard]] std::string print_config(const ControllerConfig& config);

// Every key the loader knows with its default, in file order: "socket.path", "segments[].name".
struct KnownKey {
  std::string path;
  std::string default_text;  // as the documentation spells it: "1s", "RUN/agent.sock", "[]"
  std::string range;         // "100ms to 1m"; "" = no bounds to tell
};
[[nodiscard]] std::vector<KnownKey> agent_keys();
[[nodiscard]] std::vector<KnownKey> controller_keys();

}  // namespace plimsoll
