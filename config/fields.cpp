// fields.cpp - every key of agent.yaml and controller.yaml: name, place in config.hpp, bounds.
#include "config/fields.hpp"

namespace plimsoll {
namespace {

using namespace std::chrono_literals;
using std::chrono::days;

constexpr DurationRange kUpTo30Days{1s, days(30)};
constexpr DurationRange kKeep{1s, days(3650)};
constexpr std::uint32_t kMaxSegments = 65536;
constexpr std::uint32_t kMaxObjects = 1'000'000;

template <typename T>
void list_of(Fields& fields, std::string_view key, std::vector<T>& items,
             void (*walk_item)(Fields&, T&)) {
  const auto count = fields.open_list(key, items.size());
  if (!count) return;
  items.resize(*count);
  for (std::size_t i = 0; i < items.size(); ++i) {
    fields.open_item(i);
    walk_item(fields, items[i]);
    fields.close();
  }
  fields.close();
}

void walk_socket(Fields& fields, SocketConfig& socket) {
  fields.open_map("socket");
  fields.text("path", socket.path, kSocketPathText);
  fields.text("group", socket.group, kGroupOrEmptyText);
  fields.open_map("admins");
  fields.uids("uids", socket.admins.uids);
  fields.texts("groups", socket.admins.groups, kGroupText);
  fields.close();
  fields.close();
}

void walk_metrics(Fields& fields, MetricsConfig& metrics) {
  fields.open_map("metrics");
  fields.text("listen", metrics.listen, kListenText);
  fields.number("uploads", metrics.uploads, {0, 10000});
  fields.close();
}

void walk_log(Fields& fields, LogConfig& log) {
  fields.open_map("log");
  fields.choice("level", log.level, kLogLevels);
  fields.choice("format", log.format, {"auto", "logfmt", "json"});
  fields.close();
}

void walk_segments(Fields& fields, SegmentsConfig& segments) {
  fields.text("name", segments.name, kNameText);
  fields.text("directory", segments.directory, kPathText);
  fields.flag("perPod", segments.per_pod);
  fields.open_map("allow");
  fields.uids("uids", segments.allow.uids);
  fields.texts("groups", segments.allow.groups, kGroupText);
  fields.texts("backups", segments.allow.backups, kGlobText);
  fields.texts("items", segments.allow.items, kGlobText);
  fields.close();
}

void walk_limits(Fields& fields, AgentLimits& limits) {
  fields.open_map("limits");
  fields.number("perDirectory", limits.per_directory, {1, kMaxSegments});
  fields.number("perUid", limits.per_uid, {1, kMaxSegments});
  fields.number("total", limits.total, {1, kMaxSegments});
  fields.number("namesPerTurn", limits.names_per_turn, {1, kMaxSegments});
  fields.number("logPerReason", limits.log_per_reason, {1, 1000});
  fields.close();
}

void walk_uplink(Fields& fields, UplinkConfig& uplink) {
  fields.open_map("uplink");
  fields.text("path", uplink.path, kSocketPathText);
  fields.text("group", uplink.group, kGroupOrEmptyText);
  fields.open_map("agents");
  fields.uids("uids", uplink.agent_uids);
  fields.close();
  fields.flag("anyNode", uplink.any_node);
  fields.close();
}

void walk_tracker(Fields& fields, TrackerConfig& tracker) {
  fields.text("name", tracker.name, kNameText);
  fields.text("address", tracker.address, kAddressText);
  fields.duration("timeout", tracker.timeout, {100ms, 60s});
  fields.number("inFlight", tracker.in_flight, {1, 1024});
}

void walk_limits(Fields& fields, ControllerLimits& limits) {
  fields.open_map("limits");
  fields.number("backups", limits.backups, {1, kMaxObjects});
  fields.number("itemsPerBackup", limits.items_per_backup, {1, kMaxObjects});
  fields.number("orphans", limits.orphans, {1, kMaxObjects});
  fields.number("nodes", limits.nodes, {1, 10000});
  fields.close();
}

void walk_timers(Fields& fields, ControllerConfig& config) {
  fields.duration("attachTimeout", config.attach_timeout, kUpTo30Days);
  fields.duration("retryWithin", config.retry_within, {1s, days(30), "no wait"});
  fields.duration("uploadTimeout", config.upload_timeout, {1s, days(365), "none"});
  fields.duration("retrievalGrace", config.retrieval_grace, {1s, days(30), "never"});
  fields.duration("cancelTimeout", config.cancel_timeout, {25s, 1h});
  fields.duration("autoSealAfter", config.auto_seal_after, {100ms, 24h});
  fields.duration("sealTimeout", config.seal_timeout, {1s, days(365), "none"});
  fields.duration("keepBackups", config.keep_backups, kKeep);
  fields.duration("keepTombstones", config.keep_tombstones, kKeep);
  fields.duration("keepOrphans", config.keep_orphans, kKeep);
}

}  // namespace

const Words kLogLevels = {"trace", "debug", "info", "warn", "error"};

std::string range_text(const DurationRange& range) {
  const auto bounds = format_duration(range.min) + " to " + format_duration(range.max);
  return range.zero.empty() ? bounds : "0 (" + std::string(range.zero) + "), or " + bounds;
}

std::string range_text(const NumberRange& range) {
  return std::to_string(range.min) + " to " + std::to_string(range.max);
}

void walk(Fields& fields, AgentConfig& config) {
  fields.text("node", config.node, kNodeText);
  fields.text("runDir", config.run_dir, kPathText);
  list_of(fields, "segments", config.segments, walk_segments);
  walk_socket(fields, config.socket);
  fields.text("controller", config.controller, kSocketPathOrNoneText);
  fields.duration("sweep", config.sweep, {100ms, 60s});
  fields.duration("rescan", config.rescan, {1s, 1h});
  fields.duration("stallAfter", config.stall_after, {1s, days(7)});
  fields.duration("lostAfter", config.lost_after, {2s, days(30)});
  fields.duration("keepFinished", config.keep_finished, {1s, days(365), "not at all"});
  fields.duration("keepUnacknowledged", config.keep_unacknowledged, {1s, days(365)});
  walk_limits(fields, config.limits);
  walk_metrics(fields, config.metrics);
  walk_log(fields, config.log);
}

void walk(Fields& fields, ControllerConfig& config) {
  walk_socket(fields, config.socket);
  walk_uplink(fields, config.uplink);
  fields.open_map("store");
  fields.text("sqlite", config.store_sqlite, kPathText);
  fields.close();
  fields.duration("reportEvery", config.report_every, {100ms, 60s});
  fields.duration("pollInterval", config.poll_interval, {100ms, 60s});
  list_of(fields, "trackers", config.trackers, walk_tracker);
  walk_timers(fields, config);
  walk_limits(fields, config.limits);
  fields.text("export", config.export_dir, kPathOrOffText);
  fields.open_map("page");
  fields.text("listen", config.page_listen, kListenText);
  fields.close();
  walk_metrics(fields, config.metrics);
  walk_log(fields, config.log);
}

}  // namespace plimsoll
