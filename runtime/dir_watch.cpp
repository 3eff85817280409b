// dir_watch.cpp - inotify in the loop.
#include "runtime/dir_watch.hpp"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/errno_error.hpp"
#include "runtime/fd_watch.hpp"
#include "runtime/unique_fd.hpp"
#include "schemas/text.hpp"

namespace plimsoll {
namespace {

struct BitPair {
  std::uint32_t ours;
  std::uint32_t kernels;
};
constexpr std::array kBits = {
    BitPair{dir_change::kCreated, IN_CREATE},    BitPair{dir_change::kMovedIn, IN_MOVED_TO},
    BitPair{dir_change::kDeleted, IN_DELETE},    BitPair{dir_change::kWritten, IN_CLOSE_WRITE},
    BitPair{dir_change::kAttributes, IN_ATTRIB}, BitPair{dir_change::kSelfDeleted, IN_DELETE_SELF},
    BitPair{dir_change::kIgnored, IN_IGNORED},   BitPair{dir_change::kUnmounted, IN_UNMOUNT},
    BitPair{dir_change::kDirectory, IN_ISDIR},   BitPair{dir_change::kOverflow, IN_Q_OVERFLOW},
};

std::uint32_t ours(std::uint32_t kernels) {
  std::uint32_t bits = 0;
  for (const auto& pair : kBits)
    if ((kernels & pair.kernels) != 0) bits |= pair.ours;
  return bits;
}

std::uint32_t kernels_mask(std::uint32_t changes) {
  std::uint32_t mask = IN_ONLYDIR;
  for (const auto& pair : kBits)
    if ((changes & dir_change::kDefault & pair.ours) != 0) mask |= pair.kernels;
  return mask;
}

constexpr std::size_t kReadBytes = std::size_t{64} << 10U;
// After so many reads other callbacks get their turn; the watch is level-triggered.
constexpr int kReadsPerTurn = 4;

}  // namespace

std::vector<DirEvent> decode_dir_events(std::string_view bytes) {
  std::vector<DirEvent> events;
  while (bytes.size() >= sizeof(inotify_event)) {
    inotify_event head{};
    std::memcpy(&head, bytes.data(), sizeof head);
    bytes.remove_prefix(sizeof head);
    if (head.len > bytes.size()) break;
    const auto padded = bytes.substr(0, head.len);
    bytes.remove_prefix(head.len);
    events.push_back({head.wd, ours(head.mask), std::string(padded.substr(0, padded.find('\0')))});
  }
  return events;
}

struct DirWatch::State {
  UniqueFd fd;  // before the watch, which refers to it
  FdWatch watch;
  Callback callback;
  bool calling = false;
  bool orphan = false;  // the owner died inside our callback: drain() deletes

  void drain();
  void deliver(std::string_view bytes);
};

void DirWatch::State::drain() {
  std::array<char, kReadBytes> buffer;  // NOLINT: filled by read
  calling = true;
  for (int reads = 0; reads < kReadsPerTurn && !orphan; ++reads) {
    const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
    if (got <= 0) break;  // EAGAIN: all read
    deliver({buffer.data(), static_cast<std::size_t>(got)});
  }
  calling = false;
  if (orphan) delete this;
}

void DirWatch::State::deliver(std::string_view bytes) {
  for (const auto& event : decode_dir_events(bytes)) {
    callback(event);
    if (orphan) return;
  }
}

DirWatch::DirWatch(std::unique_ptr<State> state) : state_(std::move(state)) {}
DirWatch::DirWatch(DirWatch&&) noexcept = default;

DirWatch& DirWatch::operator=(DirWatch&& other) noexcept {
  std::swap(state_, other.state_);
  DirWatch old(std::move(other));  // ends what was here before
  return *this;
}

DirWatch::~DirWatch() {
  if (!state_ || !state_->calling) return;
  state_->watch = FdWatch();
  state_->orphan = true;
  (void)state_.release();  // drain() owns it now
}

Result<DirWatch> DirWatch::create(Loop& loop, Callback callback) {
  auto state = std::make_unique<State>();
  state->callback = std::move(callback);
  state->fd = UniqueFd(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!state->fd) return errno_failure("create an inotify descriptor", errno);
  auto watch = FdWatch::create(loop, state->fd.get(), [s = state.get()](FdReady) { s->drain(); });
  if (!watch) return fail(std::move(watch.error()));
  state->watch = std::move(*watch);
  state->watch.start(true, false);
  return DirWatch(std::move(state));
}

Result<int> DirWatch::add(const std::string& path, std::uint32_t changes) {
  const int watch = inotify_add_watch(state_->fd.get(), path.c_str(), kernels_mask(changes));
  if (watch < 0) return errno_failure("watch directory " + quoted(path), errno);
  return watch;
}

Result<int> DirWatch::add(int directory_fd, std::uint32_t changes) {
  return add("/proc/self/fd/" + std::to_string(directory_fd), changes);
}

void DirWatch::remove(int watch) {
  (void)inotify_rm_watch(state_->fd.get(), watch);
}

}  // namespace plimsoll
