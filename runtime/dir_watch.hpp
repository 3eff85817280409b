// dir_watch.hpp - hints that something changed in a directory, from an inotify descriptor of our
// own. libuv's own watcher hides queue overflow; here it is an event. Hints can be late or lost, so
// whoever uses them rescans now and then as well.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/result.hpp"

namespace plimsoll {

class Loop;

// What happened; several may be set. Values are our own, not the kernel's.
namespace dir_change {
inline constexpr std::uint32_t kCreated = 1U << 0;
inline constexpr std::uint32_t kMovedIn = 1U << 1;
inline constexpr std::uint32_t kDeleted = 1U << 2;
inline constexpr std::uint32_t kWritten = 1U << 3;      // a descriptor open for writing was closed
inline constexpr std::uint32_t kAttributes = 1U << 4;   // mode, owner, times, link count
inline constexpr std::uint32_t kSelfDeleted = 1U << 5;  // the watched directory itself was removed
inline constexpr std::uint32_t kIgnored = 1U << 6;  // the watch has ended; its number is free again
inline constexpr std::uint32_t kUnmounted = 1U << 7;  // the file system under the watch has gone
inline constexpr std::uint32_t kDirectory = 1U << 8;  // the name is a directory's
inline constexpr std::uint32_t kOverflow = 1U << 9;   // events were lost: rescan everything
// What a watch reports unless told otherwise (the others cannot be switched off).
inline constexpr std::uint32_t kDefault =
    kCreated | kMovedIn | kDeleted | kWritten | kAttributes | kSelfDeleted;
}  // namespace dir_change

struct DirEvent {
  int watch = -1;             // as add() returned it; -1 with kOverflow
  std::uint32_t changes = 0;  // dir_change bits
  std::string name;           // last component, raw bytes from outside; empty: the directory itself

  bool has(std::uint32_t change) const { return (changes & change) != 0; }
  bool overflow() const { return has(dir_change::kOverflow); }
};

// The kernel's bytes as events, in order; stops at the first record that does not fit. Pure.
std::vector<DirEvent> decode_dir_events(std::string_view bytes);

class DirWatch {
 public:
  using Callback = std::function<void(const DirEvent&)>;

  // ErrorCode::limit when the user's inotify instances are used up.
  static Result<DirWatch> create(Loop& loop, Callback callback);
  DirWatch(DirWatch&&) noexcept;
  DirWatch& operator=(DirWatch&&) noexcept;
  ~DirWatch();  // safe inside its own callback; no call comes afterwards

  // Directories only. The same directory twice gives the same number (and the newer mask).
  Result<int> add(const std::string& path, std::uint32_t changes = dir_change::kDefault);
  // By open descriptor (O_PATH will do), so that no path is walked again. Needs /proc.
  Result<int> add(int directory_fd, std::uint32_t changes = dir_change::kDefault);
  // Unknown numbers are ignored. Events already queued for `watch` may still come, then kIgnored.
  void remove(int watch);

 private:
  struct State;
  explicit DirWatch(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace plimsoll
