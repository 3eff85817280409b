// settings_of.cpp - names to numbers, words to enums.
#include "agent/settings_of.hpp"

#include <unistd.h>

#include "agent/io/segment_policy.hpp"

namespace plimsoll {
namespace {

constexpr const char* kMoversGroup = "plimsoll";  // contract: "Ownership and modes"

Result<std::vector<gid_t>> group_numbers(const std::vector<std::string>& groups) {
  std::vector<gid_t> numbers;
  for (const auto& group : groups) {
    const auto number = group_number(group);
    if (!number)
      return fail(ErrorCode::config, "configuration: " + number.error().message,
                  number.error().hint);
    numbers.push_back(*number);
  }
  return numbers;
}

Result<SegmentRoot> segment_root(const SegmentsConfig& segments, const AgentConfig& config) {
  SegmentRoot root;
  root.name = segments.name;
  root.path = segments.directory;
  root.per_pod = segments.per_pod;
  root.make = segments.directory == config.run_dir + "/segments";
  if (const auto movers = group_number(kMoversGroup)) root.group = *movers;
  auto groups = group_numbers(segments.allow.groups);
  if (!groups) return fail(groups.error());
  root.policy = {segments.allow.uids, std::move(*groups), segments.allow.backups,
                 segments.allow.items};
  return root;
}

LogLevel log_level(const std::string& word) {
  if (word == "trace" || word == "debug") return LogLevel::debug;
  if (word == "warn" || word == "warning") return LogLevel::warning;
  return word == "error" ? LogLevel::error : LogLevel::info;
}

}  // namespace

AgentSettings agent_settings(const AgentConfig& config) {
  AgentSettings settings;
  settings.node = config.node;
  settings.version = PLIMSOLL_VERSION;
  settings.has_controller = config.has_controller();
  settings.stall_after = config.stall_after;
  settings.lost_after = config.lost_after;
  settings.keep_finished = config.keep_finished;
  settings.keep_unacknowledged = config.keep_unacknowledged;
  settings.limits = {config.limits.per_directory, config.limits.per_uid, config.limits.total};
  return settings;
}

Result<DiscoverySettings> discovery_settings(const AgentConfig& config) {
  DiscoverySettings settings;
  settings.names_per_turn = config.limits.names_per_turn;
  settings.rescan = config.rescan;
  for (const auto& segments : config.segments) {
    auto root = segment_root(segments, config);
    if (!root) return fail(root.error());
    settings.roots.push_back(std::move(*root));
  }
  return settings;
}

Result<AccessRules> access_rules(const AdminsConfig& admins) {
  auto groups = group_numbers(admins.groups);
  if (!groups) return fail(groups.error());
  return AccessRules{::geteuid(), admins.uids, std::move(*groups)};
}

LogOptions log_options(const AgentConfig& config) {
  LogOptions options;
  options.level = log_level(config.log.level);
  options.format = parse_log_format(config.log.format).value_or(LogFormat::automatic);
  options.per_reason_per_second = config.limits.log_per_reason;
  return options;
}

}  // namespace plimsoll
