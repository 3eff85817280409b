// check.cpp - what a configuration must be as a whole.
#include "config/check.hpp"

#include <set>

#include "config/value_text.hpp"
#include "schemas/text.hpp"

namespace plimsoll {
namespace {

using Conflicts = std::vector<Conflict>;

// Paths that come from the run directory were not seen by the file's own checks.
void check_text(Conflicts& conflicts, const std::string& key, const std::string& value,
                const TextRule& rule) {
  if (auto problem = rule.problem(value); !problem.empty()) conflicts.emplace_back(key, problem);
}

// From the key, NODE_NAME or the host's name.
void check_node(Conflicts& conflicts, const std::string& node) {
  if (node.empty()) conflicts.emplace_back("node", "is not known; set NODE_NAME");
  check_text(conflicts, "node", node, kNodeText);
}

void check_different(Conflicts& conflicts, const Conflict& a, const Conflict& b) {
  if (a.second == b.second)
    conflicts.emplace_back(a.first, quoted(a.second) + " is the path of '" + b.first + "' too");
}

void check_segments(Conflicts& conflicts, const AgentConfig& config) {
  std::set<std::string> names, directories;
  for (std::size_t i = 0; i < config.segments.size(); ++i) {
    const auto& segments = config.segments[i];
    const auto key = "segments[" + std::to_string(i) + "]";
    if (segments.directory.empty()) {
      conflicts.emplace_back(key + ".directory", "is missing; every entry needs one");
      continue;
    }
    if (!names.insert(segments.name).second)
      conflicts.emplace_back(key + ".name",
                             quoted(segments.name) + " is the name of another entry");
    if (!directories.insert(segments.directory).second)
      conflicts.emplace_back(key + ".directory",
                             quoted(segments.directory) + " is the directory of another entry");
  }
  if (config.segments.empty())
    conflicts.emplace_back("segments", "is empty; name at least one directory, or remove the key");
}

void check_trackers(Conflicts& conflicts, const ControllerConfig& config) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < config.trackers.size(); ++i) {
    const auto& tracker = config.trackers[i];
    const auto key = "trackers[" + std::to_string(i) + "]";
    if (tracker.name.empty())
      conflicts.emplace_back(key + ".name", "is missing; every entry needs one");
    if (tracker.address.empty())
      conflicts.emplace_back(key + ".address", "is missing; every entry needs one");
    if (!tracker.name.empty() && !names.insert(tracker.name).second)
      conflicts.emplace_back(key + ".name", quoted(tracker.name) + " is the name of another entry");
  }
}

}  // namespace

Conflicts find_conflicts(const AgentConfig& config) {
  Conflicts conflicts;
  check_node(conflicts, config.node);
  check_text(conflicts, "runDir", config.run_dir, kPathText);
  check_segments(conflicts, config);
  check_text(conflicts, "socket.path", config.socket.path, kSocketPathText);
  check_text(conflicts, "controller", config.controller, kSocketPathOrNoneText);
  check_different(conflicts, {"socket.path", config.socket.path},
                  {"controller", config.controller});
  if (config.rescan < config.sweep)
    conflicts.emplace_back("rescan", "is " + format_duration(config.rescan) +
                                         ", shorter than 'sweep' (" +
                                         format_duration(config.sweep) + ")");
  return conflicts;
}

Conflicts find_conflicts(const ControllerConfig& config) {
  Conflicts conflicts;
  if (!config.node.empty()) check_node(conflicts, config.node);
  check_text(conflicts, "socket.path", config.socket.path, kSocketPathText);
  check_text(conflicts, "uplink.path", config.uplink.path, kSocketPathText);
  check_text(conflicts, "store.sqlite", config.store_sqlite, kPathText);
  check_different(conflicts, {"uplink.path", config.uplink.path},
                  {"socket.path", config.socket.path});
  check_trackers(conflicts, config);
  return conflicts;
}

}  // namespace plimsoll
