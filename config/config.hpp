// config.hpp - every setting of the two daemons, with its default. Plain values; load.hpp fills
// them. Units, ranges and effects of each key: docs/configuration.md. Empty paths mean "the place
// below the run or state directory" and are never empty in what load.hpp returns.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll {

using std::chrono::milliseconds;

inline constexpr milliseconds kSourceVeleroAutoSealAfter = std::chrono::minutes(2);

// Who may change things, besides uid 0, the daemon's own uid and an upload's owner.
struct AdminsConfig {
  std::vector<uid_t> uids;
  std::vector<std::string> groups;  // names or decimal gids
  bool operator==(const AdminsConfig&) const = default;
};

struct SocketConfig {
  std::string path;   // absolute, at most 107 bytes
  std::string group;  // name or decimal gid; "" = the daemon's own primary group
  AdminsConfig admins;
  bool operator==(const SocketConfig&) const = default;
};

struct LogConfig {
  std::string level = "info";   // trace, debug, info, warn, error
  std::string format = "auto";  // auto, logfmt, json
  bool operator==(const LogConfig&) const = default;
};

struct MetricsConfig {
  std::string listen;           // "" = off, else a loopback ADDRESS:PORT
  std::uint32_t uploads = 200;  // uploads that get series of their own
  bool operator==(const MetricsConfig&) const = default;
};

// What the segments of one directory may speak for; empty uids and groups = whoever can write
// there.
struct AllowConfig {
  std::vector<uid_t> uids;
  std::vector<std::string> groups;           // names or decimal gids
  std::vector<std::string> backups = {"*"};  // globs: * and ?
  std::vector<std::string> items = {"*"};
  bool operator==(const AllowConfig&) const = default;
};

struct SegmentsConfig {
  std::string name = "default";
  std::string directory;  // absolute
  bool per_pod = false;   // each sub-directory is a trust domain of its own
  AllowConfig allow;
  bool operator==(const SegmentsConfig&) const = default;
};

struct AgentLimits {
  std::uint32_t per_directory = 1024;  // segments
  std::uint32_t per_uid = 1024;        // segments
  std::uint32_t total = 16384;         // segments
  std::uint32_t names_per_turn = 512;  // new directory entries looked at in one loop turn
  std::uint32_t log_per_reason = 10;   // lines a minute for one reason of rejection
  bool operator==(const AgentLimits&) const = default;
};

struct AgentConfig {
  std::string node;     // NODE_NAME, else the host's name
  std::string run_dir;  // absolute
  std::vector<SegmentsConfig> segments;
  SocketConfig socket;     // RUN/agent.sock
  std::string controller;  // uplink socket; "none" = work alone
  milliseconds sweep = std::chrono::seconds(1);
  milliseconds rescan = std::chrono::seconds(30);
  milliseconds stall_after = std::chrono::minutes(2);
  milliseconds lost_after = std::chrono::minutes(2);
  milliseconds keep_finished = std::chrono::hours(1);
  milliseconds keep_unacknowledged = std::chrono::days(7);
  AgentLimits limits;
  MetricsConfig metrics;
  LogConfig log;

  [[nodiscard]] bool has_controller() const { return controller != "none"; }
  bool operator==(const AgentConfig&) const = default;
};

struct UplinkConfig {
  std::string path;                     // RUN/uplink.sock
  std::string group;                    // "" = no group: mode 0600
  std::vector<uid_t> agent_uids = {0};  // load.hpp adds the daemon's own uid to the default
  bool any_node = false;  // hear agents of other nodes than ControllerConfig::node too
  bool operator==(const UplinkConfig&) const = default;
};

struct TrackerConfig {
  std::string name;
  std::string address;
  milliseconds timeout = std::chrono::seconds(5);
  std::uint32_t in_flight = 64;
  bool operator==(const TrackerConfig&) const = default;
};

struct ControllerLimits {
  std::uint32_t backups = 10000;
  std::uint32_t items_per_backup = 20000;
  std::uint32_t orphans = 10000;
  std::uint32_t nodes = 256;
  bool operator==(const ControllerLimits&) const = default;
};

struct ControllerConfig {
  std::string node;     // not a key: NODE_NAME; "" = the first agent's; see UplinkConfig::any_node
  std::string run_dir;  // not a key: flag, environment or default
  std::string state_dir;  // not a key: flag, environment or default
  SocketConfig socket;    // RUN/controller.sock
  UplinkConfig uplink;
  std::string store_sqlite;  // STATE/controller.db
  milliseconds report_every = std::chrono::seconds(1);
  milliseconds poll_interval = std::chrono::seconds(1);
  std::vector<TrackerConfig> trackers;
  milliseconds attach_timeout = std::chrono::minutes(15);
  milliseconds retry_within = std::chrono::minutes(10);
  milliseconds upload_timeout{0};                        // 0 = none
  milliseconds retrieval_grace = std::chrono::hours(1);  // 0 = never
  milliseconds cancel_timeout = std::chrono::seconds(30);
  milliseconds auto_seal_after = std::chrono::seconds(10);  // see kSourceVeleroAutoSealAfter
  milliseconds seal_timeout{0};                             // 0 = none
  milliseconds keep_backups = std::chrono::days(90);
  milliseconds keep_tombstones = std::chrono::days(30);
  milliseconds keep_orphans = std::chrono::hours(24);
  ControllerLimits limits;
  std::string export_dir;   // "" = off
  std::string page_listen;  // "" = off, else a loopback ADDRESS:PORT
  MetricsConfig metrics;
  LogConfig log;

  bool operator==(const ControllerConfig&) const = default;
};

}  // namespace plimsoll
