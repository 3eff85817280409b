// segment_directory.hpp - one directory of segments: which names are there, and which of them are
// to be read. Bounded per turn: a million files make it slower, not the loop.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "agent/io/segment_policy.hpp"
#include "agent/io/segment_reader.hpp"
#include "runtime/unique_fd.hpp"
#include "schemas/result.hpp"
#include "schemas/time.hpp"

namespace plimsoll {

// A file that is not read, and why; for the log and the counters. `name` is raw bytes from outside.
struct Refusal {
  std::string directory;
  std::string name;
  Error error;
};

class SegmentDirectory {
 public:
  using OnRefusal = std::function<void(Refusal)>;

  struct Place {
    std::uint32_t number = 0;
    std::string path;
    std::string domain;
    const SegmentPolicy* policy = nullptr;  // outlives the directory
  };

  SegmentDirectory(Place place, SegmentReader& reader, OnRefusal on_refusal);
  SegmentDirectory(const SegmentDirectory&) = delete;
  SegmentDirectory& operator=(const SegmentDirectory&) = delete;
  ~SegmentDirectory();

  // Takes the open directory; a full scan is due then.
  void open(UniqueFd fd);
  // It was removed or unmounted: what it held is gone.
  void close();
  // False once its path leads elsewhere. The watch cannot tell: it hears of the end only when
  // nobody has it open.
  [[nodiscard]] bool still_there() const;
  [[nodiscard]] bool is_open() const { return static_cast<bool>(fd_); }
  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] const Place& place() const { return place_; }

  // All names again; a scan that is running begins anew.
  void start_scan();
  // A name that was created, moved in or changed: looked at in the next work().
  void hint(const std::string& name);
  // At most `max_new` new names. True: there is more to do. `wall` tells the age of unfinished
  // files.
  bool work(std::size_t max_new, WallTime wall);

  // The table had no room for it: not tried again before something changes.
  void note_no_room(const std::string& name);
  // Something left: names without room are tried again.
  void note_room() { without_room_.clear(); }

 private:
  enum class Taken : std::uint8_t { nothing, looked };
  Taken take_name(const std::string& name, WallTime wall);
  bool scan_some(std::size_t max_new, WallTime wall);
  void end_scan();
  void attach(const std::string& name);
  void reap_unfinished(const std::string& name, WallTime wall);
  [[nodiscard]] SegmentHome home() const;

  struct Scan;
  Place place_;
  SegmentReader& reader_;
  OnRefusal on_refusal_;
  UniqueFd fd_;
  std::unique_ptr<Scan> scan_;
  std::deque<std::string> hints_;
  std::unordered_set<std::string> refused_;       // said once, not tried again until a hint
  std::unordered_set<std::string> without_room_;  // likewise, until something leaves
  unsigned scans_ = 0;
};

inline constexpr Duration kUnfinishedAge =
    seconds(60);  // a `.tmp` of a mover that died while making it

}  // namespace plimsoll
