// truth.hpp - what really happened in a simulated run, whatever anybody says of it. The laws
// compare with this.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "schemas/ids.hpp"
#include "schemas/time.hpp"
#include "schemas/upload_progress.hpp"

namespace plimsoll::sim {

// One backup as its client meant it.
struct BackupTruth {
  std::string name;
  std::string uid;                                             // "" until the controller answered
  std::set<std::string> items;                                 // whose add was acknowledged
  std::map<std::string, std::uint32_t> parts;                  // by item: how many it needs
  std::map<std::string, std::set<std::string>> durable_parts;  // by item: confirmed by the storage
  bool sealed = false;                                         // acknowledged
  bool delete_asked = false;
  bool deleted = false;  // deletion was acknowledged
  TimePoint deleted_at{};
};

// A segment and the mover behind it.
struct Mover {
  SegmentId segment;
  std::size_t backup = 0;  // index of its BackupTruth
  Identity identity;
  std::size_t node = 0;
  std::uint64_t start_boottime_ns = 0;
  bool alive = true;      // holds the lock
  bool unlinked = false;  // its file is gone
  bool cancel_byte = false;
  bool stubborn = false;  // never answers a cancel
  std::uint64_t heartbeat = 0;
  std::uint64_t seq = 0;
  Sample sample;
  std::string bound_uid;  // of the backup the store says it belongs to; "" = none yet
  TimePoint bound_at{};
  bool stored = false;  // the storage confirmed it; the terminal record may still be missing
  std::optional<Terminal> terminal;
};

}  // namespace plimsoll::sim
