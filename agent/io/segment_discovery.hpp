// segment_discovery.hpp - all directories of segments: made, opened, watched, rescanned, and opened
// again when they come back. The watch is a hint; whoever floods it loses it for a while, and
// polling takes over.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/io/segment_directory.hpp"
#include "agent/io/segment_policy.hpp"
#include "agent/io/segment_reader.hpp"
#include "runtime/dir_watch.hpp"
#include "runtime/loop.hpp"
#include "schemas/result.hpp"
#include "schemas/time.hpp"

namespace plimsoll {

struct SegmentRoot {
  std::string name;  // the trust domain's, unless per_pod
  std::string path;
  bool per_pod = false;  // sub-directories are domains, named as they are
  bool make = false;     // ours to make: RUN/segments
  std::optional<gid_t> group;
  SegmentPolicy policy;
};

struct DiscoverySettings {
  std::vector<SegmentRoot> roots;
  std::size_t names_per_turn = 512;
  Duration rescan = seconds(30);
};

inline constexpr std::uint32_t kMaxEventsPerSecond =
    1000;  // of one directory; more: its watch is dropped
inline constexpr Duration kUnwatchedFor = seconds(60);
inline constexpr Duration kUnwatchedScan = seconds(2);
inline constexpr std::uint32_t kMaxAuditsPerSecond = 10;
inline constexpr std::size_t kMaxPods = 1024;

struct DiscoveryCounters {
  std::uint64_t overflows = 0;
  std::uint64_t refused = 0;
  std::uint64_t watches_dropped = 0;
};

class SegmentDiscovery {
 public:
  // Everything that goes wrong with a directory or a file goes to `on_refusal` (name "" = the
  // directory itself). ErrorCode::limit if there is no inotify instance left. `reader` and `loop`
  // outlive it.
  static Result<std::unique_ptr<SegmentDiscovery>> create(Loop& loop, DiscoverySettings settings,
                                                          SegmentReader& reader,
                                                          SegmentDirectory::OnRefusal on_refusal);
  SegmentDiscovery(const SegmentDiscovery&) = delete;
  SegmentDiscovery& operator=(const SegmentDiscovery&) = delete;
  ~SegmentDiscovery();

  // Opens what is not open, rescans what is due. At least once a second.
  void tick(TimePoint now);
  // The queued names, bounded per call. True: there is more to do in the next turn.
  bool work(WallTime wall);
  void rescan_all();

  // The core kept no place for it / something left the directory.
  void note_no_room(const SegmentFileRef& file);
  void note_room(const SegmentFileRef& file);

  [[nodiscard]] const DiscoveryCounters& counters() const { return counters_; }
  // Directories that are configured and cannot be read at the moment.
  [[nodiscard]] std::vector<std::string> not_open() const;
  // Open directories that are not on a tmpfs: they outlive a reboot and are slower.
  [[nodiscard]] std::vector<std::string> not_on_tmpfs() const;

 private:
  struct Watched;
  SegmentDiscovery(DiscoverySettings settings, SegmentReader& reader,
                   SegmentDirectory::OnRefusal on_refusal);

  void on_event(const DirEvent& event);
  void on_directory_event(Watched& watched, const DirEvent& event);
  void on_name(Watched& watched, const DirEvent& event);
  void on_inode_name(Watched& watched, std::string_view number);
  void add_directory(const SegmentRoot& root, const std::string& path, const std::string& domain);
  void try_open(Watched& watched, const SegmentRoot& root);
  void check_still_there(Watched& watched);
  void watch_again(Watched& watched);
  void drop_watch(Watched& watched);
  void refresh_pods(const SegmentRoot& root);
  void remove_closed_pods();
  Watched* by_fd(int directory_fd);

  DiscoverySettings settings_;
  SegmentReader& reader_;
  SegmentDirectory::OnRefusal on_refusal_;
  std::optional<DirWatch> watch_;
  std::map<std::uint32_t, std::unique_ptr<Watched>> directories_;
  std::map<int, std::uint32_t> by_watch_;
  DiscoveryCounters counters_;
  TimePoint now_{};
  TimePoint next_pods_{};
  std::uint32_t next_number_ = 0;
};

}  // namespace plimsoll
