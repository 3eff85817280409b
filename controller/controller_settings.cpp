// controller_settings.cpp - see controller_settings.hpp.
#include "controller/controller_settings.hpp"

#include <grp.h>
#include <unistd.h>

#include <charconv>
#include <vector>

#include "schemas/text.hpp"

namespace plimsoll {
namespace {

constexpr std::size_t kGroupBufferBytes = std::size_t{64} << 10U;  // of one group's members

std::optional<gid_t> decimal(const std::string& text) {
  gid_t gid = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, gid);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return gid;
}

}  // namespace

ControllerSettings settings_of(const ControllerConfig& config) {
  ControllerSettings settings;
  settings.version = PLIMSOLL_VERSION;
  settings.own_node = config.node;
  settings.any_node = config.uplink.any_node;
  settings.report_every = config.report_every;
  settings.attach_timeout = config.attach_timeout;
  settings.retry_within = config.retry_within;
  settings.upload_timeout = config.upload_timeout;
  settings.retrieval_grace = config.retrieval_grace;
  settings.cancel_timeout = config.cancel_timeout;
  settings.auto_seal_after = config.auto_seal_after;
  settings.auto_seal_after_velero = kSourceVeleroAutoSealAfter;
  settings.seal_timeout = config.seal_timeout;
  settings.keep_backups = config.keep_backups;
  settings.keep_tombstones = config.keep_tombstones;
  settings.keep_orphans = config.keep_orphans;
  settings.limits.backups = config.limits.backups;
  settings.limits.items_per_backup = config.limits.items_per_backup;
  settings.limits.orphans = config.limits.orphans;
  settings.limits.nodes = config.limits.nodes;
  return settings;
}

Result<ApiAdmins> admins_of(const ControllerConfig& config) {
  ApiAdmins admins;
  admins.own_uid = ::geteuid();
  admins.uids = config.socket.admins.uids;
  for (const auto& name : config.socket.admins.groups) {
    const auto gid = group_of(name, "socket.admins.groups");
    if (!gid) return fail(gid.error());
    if (*gid) admins.gids.push_back(**gid);
  }
  return admins;
}

Result<std::optional<gid_t>> group_of(const std::string& group, const std::string& key) {
  if (group.empty()) return std::optional<gid_t>();
  if (const auto gid = decimal(group)) return gid;
  std::vector<char> buffer(kGroupBufferBytes);
  struct ::group entry {};
  struct ::group* found = nullptr;
  (void)::getgrnam_r(group.c_str(), &entry, buffer.data(), buffer.size(), &found);
  if (found != nullptr) return std::optional<gid_t>(found->gr_gid);
  return fail(ErrorCode::config, key + ": there is no group " + plimsoll::quoted(group),
              "make the group, or name another one or its number", key);
}

LogOptions log_options_of(const LogConfig& config) {
  LogOptions options;
  // The configuration has been checked; its words are those of the command line.
  if (config.level == "trace" || config.level == "debug") options.level = LogLevel::debug;
  if (config.level == "warn") options.level = LogLevel::warning;
  if (config.level == "error") options.level = LogLevel::error;
  if (config.format == "json") options.format = LogFormat::json;
  if (config.format == "logfmt") options.format = LogFormat::logfmt;
  return options;
}

}  // namespace plimsoll
