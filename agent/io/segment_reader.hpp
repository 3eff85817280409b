// segment_reader.hpp - all segments that are being read: attach, sweep, look at once. One cached
// descriptor each as long as there are enough; else opened for every look. Hints decide when, the
// sweep is the truth.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/core/agent_events.hpp"
#include "agent/io/cancel_writer.hpp"
#include "agent/io/segment_look.hpp"
#include "agent/io/segment_policy.hpp"
#include "runtime/unique_fd.hpp"
#include "schemas/result.hpp"

namespace plimsoll {

// A directory as the reader needs it; `policy` outlives the reader.
struct SegmentHome {
  std::uint32_t number = 0;
  int fd = -1;
  std::string domain;
  const SegmentPolicy* policy = nullptr;
};

inline constexpr std::size_t kLooksPerTurn = 512;
inline constexpr unsigned kIdleFactor = 4;  // idle segments are looked at so much less often
inline constexpr std::uint32_t kIdleAfterLooks = 4;  // looks without news
inline constexpr std::size_t kRingBytesPerTurn = std::size_t{8} << 20U;

class SegmentReader {
 public:
  using Sink = std::function<void(Event)>;

  // Events go to `sink`, which must not call back into the reader. `max_open_files`: descriptors it
  // may keep.
  SegmentReader(std::size_t max_open_files, Sink sink);

  // Safe open, verify, read identity, first look: ends in SegmentFound. exists: it is read already;
  // busy, limit: try again later; anything else: this file is not to be read, and why.
  Result<void> attach(const SegmentHome& home, const std::string& name);

  // One look at once; news, or the lack of it, goes to the sink. Unknown ids are ignored.
  void look_now(const SegmentId& segment);
  // The same for everything in a directory.
  void audit(std::uint32_t directory);

  // A round over all of them: begin, then sweep_some until it is false. Turns are bounded by
  // kLooksPerTurn.
  void begin_sweep();
  bool sweep_some();

  void forget(const SegmentId& segment);
  // Its name is gone, or another file's: SegmentGone. The look before it still counts.
  void check_name(const SegmentId& segment);
  // After the directory was opened anew; -1 = it is gone.
  void move_home(std::uint32_t directory, int fd);

  [[nodiscard]] std::optional<SegmentId> by_name(std::uint32_t directory,
                                                 const std::string& name) const;
  [[nodiscard]] std::optional<SegmentId> by_inode(std::uint32_t directory, ino_t inode) const;
  [[nodiscard]] std::vector<SegmentId> all_of(std::uint32_t directory) const;
  [[nodiscard]] std::optional<SegmentFileRef> file_of(const SegmentId& segment) const;
  [[nodiscard]] std::size_t size() const { return segments_.size(); }

  // The events its ring still holds, oldest first.
  [[nodiscard]] std::vector<UploadEvent> history_of(const SegmentId& segment);

 private:
  struct Segment {
    SegmentId id;
    std::uint32_t directory = 0;
    std::string name;
    ino_t inode = 0;
    UniqueFd fd;  // empty = opened for each look
    LookMemory memory;
    Reading last;  // without sample and events
    std::uint32_t quiet_looks = 0;
  };

  Result<UniqueFd> open_checked(const SegmentHome& home, const std::string& name,
                                struct ::stat& found) const;
  Result<UniqueFd> reopen(const Segment& segment) const;
  void look(Segment& segment, bool always);
  void take_look(Segment& segment, const Result<Look>& look, bool always);
  void keep(Segment segment, UniqueFd fd);
  [[nodiscard]] bool is_due(const Segment& segment) const;

  std::size_t max_open_files_;
  Sink sink_;
  SegmentLooker looker_;
  std::map<SegmentId, Segment> segments_;
  std::map<std::pair<std::uint32_t, std::string>, SegmentId> names_;
  std::map<std::pair<std::uint32_t, ino_t>, SegmentId> inodes_;
  std::map<std::uint32_t, SegmentHome> homes_;
  std::size_t open_files_ = 0;
  std::size_t ring_budget_bytes_ = kRingBytesPerTurn;
  std::optional<SegmentId> sweep_at_;  // the next one of the round; empty = no round is running
  unsigned round_ = 0;
};

}  // namespace plimsoll
