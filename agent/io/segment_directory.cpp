// segment_directory.cpp - an incremental readdir, and what is done with each name.
#include "agent/io/segment_directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include "agent/io/liveness.hpp"
#include "runtime/safe_open.hpp"
#include "schemas/segment_page.hpp"
#include "schemas/text.hpp"

namespace plimsoll {
namespace {

constexpr std::size_t kEntriesPerTurn = 8192;  // known names cost little, but not nothing
constexpr std::size_t kMaxHints = 4096;        // more: a full scan says the same
constexpr std::size_t kMaxRemembered = 65536;  // refused names; more: they are tried again
constexpr unsigned kForgetEvery = 10;          // scans

void remember(std::unordered_set<std::string>& names, const std::string& name) {
  if (names.size() >= kMaxRemembered) names.clear();
  names.insert(name);
}

Duration age_of(const struct ::stat& found, WallTime wall) {
  const auto changed = WallTime(seconds(found.st_ctim.tv_sec));
  return wall - changed;
}

}  // namespace

struct SegmentDirectory::Scan {
  DIR* entries = nullptr;
  explicit Scan(DIR* opened) : entries(opened) {}
  Scan(const Scan&) = delete;
  Scan& operator=(const Scan&) = delete;
  ~Scan() { ::closedir(entries); }
};

SegmentDirectory::SegmentDirectory(Place place, SegmentReader& reader, OnRefusal on_refusal)
    : place_(std::move(place)), reader_(reader), on_refusal_(std::move(on_refusal)) {}

SegmentDirectory::~SegmentDirectory() = default;

SegmentHome SegmentDirectory::home() const {
  return {place_.number, fd_.get(), place_.domain, place_.policy};
}

void SegmentDirectory::open(UniqueFd fd) {
  fd_ = std::move(fd);
  reader_.move_home(place_.number, fd_.get());
  start_scan();
}

void SegmentDirectory::close() {
  scan_.reset();
  hints_.clear();
  refused_.clear();
  fd_.reset();
  reader_.move_home(place_.number, -1);
  for (const auto& segment : reader_.all_of(place_.number))
    reader_.check_name(segment);
}

bool SegmentDirectory::still_there() const {
  struct ::stat named {};
  const auto opened = stat_of(fd_.get());
  return opened && ::stat(place_.path.c_str(), &named) == 0 && named.st_ino == opened->st_ino &&
         named.st_dev == opened->st_dev;
}

void SegmentDirectory::start_scan() {
  scan_.reset();
  if (!is_open()) return;
  // A descriptor of its own, for the position in a directory belongs to the open file description.
  UniqueFd own(::openat(fd_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!own) return;
  DIR* entries = ::fdopendir(own.get());
  if (!entries) return;
  (void)own.release();  // closedir closes it
  scan_ = std::make_unique<Scan>(entries);
  if (++scans_ % kForgetEvery == 0) without_room_.clear();
}

void SegmentDirectory::hint(const std::string& name) {
  refused_.erase(name);
  if (hints_.size() >= kMaxHints) {
    hints_.clear();
    start_scan();
    return;
  }
  hints_.push_back(name);
}

bool SegmentDirectory::work(std::size_t max_new, WallTime wall) {
  if (!is_open()) return false;
  std::size_t taken = 0;
  while (!hints_.empty() && taken < max_new) {
    const auto name = std::move(hints_.front());
    hints_.pop_front();
    if (take_name(name, wall) == Taken::looked) ++taken;
  }
  const bool more = taken < max_new && scan_ ? scan_some(max_new - taken, wall) : scan_ != nullptr;
  return more || !hints_.empty();
}

bool SegmentDirectory::scan_some(std::size_t max_new, WallTime wall) {
  std::size_t looked = 0;
  for (std::size_t seen = 0; seen < kEntriesPerTurn && looked < max_new; ++seen) {
    const auto* entry = ::readdir(scan_->entries);
    if (!entry) {
      end_scan();
      return false;
    }
    if (take_name(entry->d_name, wall) == Taken::looked) ++looked;
  }
  return true;
}

// Names that are known and were not met are gone, or were renamed: a look at each says which.
void SegmentDirectory::end_scan() {
  scan_.reset();
  for (const auto& segment : reader_.all_of(place_.number))
    reader_.check_name(segment);
}

SegmentDirectory::Taken SegmentDirectory::take_name(const std::string& name, WallTime wall) {
  if (name == "." || name == "..") return Taken::nothing;
  if (refused_.contains(name) || without_room_.contains(name)) return Taken::nothing;
  if (is_unfinished_file_name(name)) {
    reap_unfinished(name, wall);
    return Taken::looked;
  }
  if (!is_segment_file_name(name)) {  // never opened, whatever it is
    remember(refused_, name);
    on_refusal_({place_.path, name,
                 Error{ErrorCode::bad_request, "file " + quoted(name) + " is no segment",
                       "remove it: only movers' segments belong here", ""}});
    return Taken::nothing;
  }
  if (reader_.by_name(place_.number, name)) return Taken::nothing;
  attach(name);
  return Taken::looked;
}

void SegmentDirectory::attach(const std::string& name) {
  const auto attached = reader_.attach(home(), name);
  if (attached) return;
  const auto code = attached.error().code;
  const bool later = code == ErrorCode::exists || code == ErrorCode::not_found ||
                     code == ErrorCode::busy || code == ErrorCode::limit;
  if (later) return;
  remember(refused_, name);
  on_refusal_({place_.path, name, attached.error()});
}

void SegmentDirectory::reap_unfinished(const std::string& name, WallTime wall) {
  struct ::stat found {};
  if (::fstatat(fd_.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (!S_ISREG(found.st_mode) || age_of(found, wall) < kUnfinishedAge) return;
  (void)unlink_segment(
      {fd_.get(), name, found.st_ino});  // locked: its mover lives; else the next scan
}

void SegmentDirectory::note_no_room(const std::string& name) {
  remember(without_room_, name);
}

}  // namespace plimsoll
