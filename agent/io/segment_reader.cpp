// segment_reader.cpp - keeps descriptors, asks the looker, tells the core only what is new.
#include "agent/io/segment_reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <utility>

#include "runtime/errno_error.hpp"
#include "runtime/safe_open.hpp"
#include "schemas/names.hpp"
#include "schemas/segment_layout.hpp"
#include "schemas/text.hpp"

namespace plimsoll {
namespace {

Result<void> check_file(const struct ::stat& found, const std::string& name) {
  const auto size = static_cast<std::uint64_t>(found.st_size);
  if (found.st_nlink != 1)
    return fail(ErrorCode::bad_request,
                "segment " + quoted(name) + " has another name too (hard link)",
                "remove the other name");
  if (found.st_size < 0 || size < layout::kMinFileBytes || size > layout::kMaxFileBytes)
    return fail(ErrorCode::bad_request, "segment " + quoted(name) + " has a size no segment has");
  return {};
}

// Is there anything in it that the core does not know?
bool is_news(const Look& look, const Reading& last) {
  const auto& reading = look.reading;
  return reading.sample || !reading.events.empty() || reading.events_lost > 0 ||
         reading.lock_held != last.lock_held || reading.heartbeat != last.heartbeat ||
         reading.cancel_asked != last.cancel_asked ||
         reading.terminal.has_value() != last.terminal.has_value();
}

}  // namespace

SegmentReader::SegmentReader(std::size_t max_open_files, Sink sink)
    : max_open_files_(max_open_files), sink_(std::move(sink)) {}

Result<UniqueFd> SegmentReader::open_checked(const SegmentHome& home, const std::string& name,
                                             struct ::stat& found) const {
  auto fd = open_below(home.fd, name, O_RDONLY);
  if (!fd) return fd;
  const auto status = stat_of(fd->get());
  if (!status) return fail(status.error());
  found = *status;
  if (auto sound = check_file(found, name); !sound) return fail(sound.error());
  if (auto allowed = check_owner(*home.policy, found.st_uid); !allowed)
    return fail(allowed.error());
  return fd;
}

Result<void> SegmentReader::attach(const SegmentHome& home, const std::string& name) {
  if (by_name(home.number, name))
    return fail(ErrorCode::exists, "segment " + quoted(name) + " is known");
  struct ::stat found {};
  auto fd = open_checked(home, name, found);
  if (!fd) return fail(fd.error());
  Segment segment;
  segment.directory = home.number;
  segment.name = name;
  segment.inode = found.st_ino;
  segment.memory.file_bytes = static_cast<std::uint64_t>(found.st_size);
  auto look = looker_.look(fd->get(), segment.memory, ring_budget_bytes_);
  if (!look) return fail(look.error());
  if (look->fault != SegmentFault::none) return fail(error_of(look->fault, quoted(name)));
  segment.id = segment.memory.segment = look->header.segment;
  if (segment_file_name(segment.id) != name)
    return fail(ErrorCode::bad_request,
                "segment " + quoted(name) + " carries another session's number");
  if (segments_.contains(segment.id))
    return fail(ErrorCode::bad_request,
                "segment " + quoted(name) + " is a copy of one in another directory");
  auto identity = looker_.read_identity(fd->get());
  if (!identity.ok()) return fail(error_of(identity.fault, quoted(name)));
  if (auto sound = check_identity(identity.identity); !sound) return fail(sound.error());
  if (auto allowed = check_speaks_for(*home.policy, identity.identity); !allowed)
    return fail(allowed.error());
  homes_[home.number] = home;
  SegmentFound event{
      {segment.id, home.number, home.domain, found.st_uid, look->header.start_boottime_ns},
      std::move(identity.identity),
      look->reading};
  segment.last = std::move(look->reading);
  segment.last.events.clear();
  keep(std::move(segment), std::move(*fd));
  sink_(std::move(event));
  return {};
}

void SegmentReader::keep(Segment segment, UniqueFd fd) {
  if (open_files_ < max_open_files_) {
    segment.fd = std::move(fd);
    ++open_files_;
  }
  names_[{segment.directory, segment.name}] = segment.id;
  inodes_[{segment.directory, segment.inode}] = segment.id;
  const auto id = segment.id;
  segments_.emplace(id, std::move(segment));
}

Result<UniqueFd> SegmentReader::reopen(const Segment& segment) const {
  const auto home = homes_.find(segment.directory);
  if (home == homes_.end() || home->second.fd < 0)
    return fail(ErrorCode::not_found,
                "the directory of segment " + quoted(segment.name) + " is gone");
  auto fd = open_below(home->second.fd, segment.name, O_RDONLY);
  if (!fd) return fd;
  const auto found = stat_of(fd->get());
  if (!found) return fail(found.error());
  if (found->st_ino != segment.inode)
    return fail(ErrorCode::not_found, "segment " + quoted(segment.name) + " is another file now");
  return fd;
}

void SegmentReader::look(Segment& segment, bool always) {
  if (segment.fd) {
    take_look(segment, looker_.look(segment.fd.get(), segment.memory, ring_budget_bytes_), always);
    return;
  }
  const auto fd = reopen(segment);
  if (fd)
    take_look(segment, looker_.look(fd->get(), segment.memory, ring_budget_bytes_), always);
  else if (fd.error().code == ErrorCode::not_found)
    sink_(SegmentGone{segment.id});
  else if (fd.error().code != ErrorCode::busy && fd.error().code != ErrorCode::limit)
    sink_(SegmentUnreadable{segment.id, SegmentFault::short_read, segment.last.lock_held});
}

void SegmentReader::take_look(Segment& segment, const Result<Look>& look, bool always) {
  if (!look || look->fault != SegmentFault::none) {
    const bool held = look ? look->reading.lock_held : segment.last.lock_held;
    segment.last.lock_held = held;
    segment.quiet_looks = 0;
    sink_(SegmentUnreadable{segment.id, look ? look->fault : SegmentFault::short_read, held});
    return;
  }
  const bool news = is_news(*look, segment.last);
  segment.quiet_looks = news ? 0 : segment.quiet_looks + 1;
  segment.last = look->reading;
  segment.last.sample.reset();
  segment.last.events.clear();
  if (news || always) sink_(SegmentRead{segment.id, look->reading});
}

void SegmentReader::look_now(const SegmentId& segment) {
  const auto found = segments_.find(segment);
  if (found != segments_.end()) look(found->second, true);
}

void SegmentReader::audit(std::uint32_t directory) {
  for (const auto& segment : all_of(directory))
    look(segments_.at(segment), false);
}

void SegmentReader::begin_sweep() {
  if (sweep_at_ || segments_.empty()) return;  // a round that is still running goes on
  ++round_;
  sweep_at_ = segments_.begin()->first;
}

bool SegmentReader::is_due(const Segment& segment) const {
  return segment.quiet_looks < kIdleAfterLooks || (segment.id.lo + round_) % kIdleFactor == 0;
}

bool SegmentReader::sweep_some() {
  ring_budget_bytes_ = kRingBytesPerTurn;
  if (!sweep_at_) return false;
  std::size_t looks = 0;
  auto at = segments_.lower_bound(*sweep_at_);
  for (; at != segments_.end() && looks < kLooksPerTurn; ++at) {
    if (!is_due(at->second)) continue;
    ++looks;
    look(at->second, false);
  }
  sweep_at_ = at == segments_.end() ? std::nullopt : std::optional(at->first);
  return sweep_at_.has_value();
}

void SegmentReader::forget(const SegmentId& segment) {
  const auto found = segments_.find(segment);
  if (found == segments_.end()) return;
  const auto& known = found->second;
  if (known.fd) --open_files_;
  names_.erase({known.directory, known.name});
  inodes_.erase({known.directory, known.inode});
  segments_.erase(found);
}

void SegmentReader::check_name(const SegmentId& segment) {
  const auto found = segments_.find(segment);
  if (found == segments_.end()) return;
  auto& known = found->second;
  const auto home = homes_.find(known.directory);
  struct ::stat status {};
  const bool there =
      home != homes_.end() && home->second.fd >= 0 &&
      ::fstatat(home->second.fd, known.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
      status.st_ino == known.inode;
  if (there) return;
  if (known.fd) look(known, false);  // the last word may stand in it
  sink_(SegmentGone{segment});
}

void SegmentReader::move_home(std::uint32_t directory, int fd) {
  const auto found = homes_.find(directory);
  if (found != homes_.end()) found->second.fd = fd;
}

std::optional<SegmentId> SegmentReader::by_name(std::uint32_t directory,
                                                const std::string& name) const {
  const auto found = names_.find({directory, name});
  return found == names_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<SegmentId> SegmentReader::by_inode(std::uint32_t directory, ino_t inode) const {
  const auto found = inodes_.find({directory, inode});
  return found == inodes_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<SegmentId> SegmentReader::all_of(std::uint32_t directory) const {
  std::vector<SegmentId> found;
  for (auto at = names_.lower_bound({directory, ""});
       at != names_.end() && at->first.first == directory; ++at)
    found.push_back(at->second);
  return found;
}

std::optional<SegmentFileRef> SegmentReader::file_of(const SegmentId& segment) const {
  const auto found = segments_.find(segment);
  if (found == segments_.end()) return std::nullopt;
  const auto home = homes_.find(found->second.directory);
  if (home == homes_.end()) return std::nullopt;
  return SegmentFileRef{home->second.fd, found->second.name, found->second.inode};
}

std::vector<UploadEvent> SegmentReader::history_of(const SegmentId& segment) {
  const auto found = segments_.find(segment);
  if (found == segments_.end()) return {};
  const auto& known = found->second;
  if (known.fd) return looker_.read_history(known.fd.get(), known.memory.file_bytes);
  const auto fd = reopen(known);
  return fd ? looker_.read_history(fd->get(), known.memory.file_bytes) : std::vector<UploadEvent>{};
}

}  // namespace plimsoll
