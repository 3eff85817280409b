// settings.hpp - what the controller's core must be told; wiring fills it from the configuration.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "schemas/time.hpp"

namespace plimsoll {

struct ControllerLimitSettings {
  std::size_t backups = 10000;
  std::size_t items_per_backup = 20000;
  std::size_t orphans = 10000;
  std::size_t nodes = 256;
};

struct ControllerSettings {
  std::string version;    // sent in Welcome
  std::string own_node;   // "" = the first node that says Hello
  bool any_node = false;  // agents of other nodes are welcome
  Duration report_every = seconds(1);
  Duration attach_timeout = std::chrono::minutes(15);
  Duration retry_within = std::chrono::minutes(10);
  Duration upload_timeout{0};                        // 0 = none
  Duration retrieval_grace = std::chrono::hours(1);  // 0 = never
  Duration cancel_timeout = seconds(30);
  Duration auto_seal_after = seconds(10);
  Duration auto_seal_after_velero = std::chrono::minutes(2);
  Duration seal_timeout{0};  // 0 = none
  Duration seal_timeout_auto = std::chrono::hours(24);
  Duration keep_backups = std::chrono::hours(24 * 90);
  Duration keep_tombstones = std::chrono::hours(24 * 30);
  Duration keep_orphans = std::chrono::hours(24);
  ControllerLimitSettings limits;
};

}  // namespace plimsoll
