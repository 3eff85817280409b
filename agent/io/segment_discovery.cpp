// segment_discovery.cpp - events to hints, and the clockwork around the directories.
#include "agent/io/segment_discovery.hpp"

#include <dirent.h>

#include <charconv>
#include <set>
#include <string_view>
#include <utility>

#include "agent/io/segment_place.hpp"
#include "runtime/safe_open.hpp"
#include "schemas/text.hpp"
#include "schemas/text_bounds.hpp"

namespace plimsoll {
namespace {

constexpr Duration kOpenAgain = seconds(1);
constexpr Duration kPodsAgain = seconds(1);

struct PerSecond {  // how many in the second that runs
  TimePoint begun{};
  std::uint32_t count = 0;

  std::uint32_t add(TimePoint now) {
    if (now - begun >= seconds(1)) *this = {now, 0};
    return ++count;
  }
};

std::optional<ino_t> inode_of(std::string_view number) {
  ino_t inode = 0;
  const auto* end = number.data() + number.size();
  const auto parsed = std::from_chars(number.data(), end, inode);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return inode;
}

}  // namespace

struct SegmentDiscovery::Watched {
  Watched(const SegmentRoot& of, SegmentDirectory::Place place, SegmentReader& reader,
          SegmentDirectory::OnRefusal on_refusal)
      : root(of), directory(std::move(place), reader, std::move(on_refusal)) {}

  const SegmentRoot& root;
  SegmentDirectory directory;
  int watch = -1;
  bool told = false;  // that it cannot be opened
  PerSecond events;
  PerSecond audits;
  TimePoint open_at{};
  TimePoint check_at{};
  TimePoint scan_at{};
  TimePoint watch_at{};
};

SegmentDiscovery::SegmentDiscovery(DiscoverySettings settings, SegmentReader& reader,
                                   SegmentDirectory::OnRefusal on_refusal)
    : settings_(std::move(settings)), reader_(reader), on_refusal_(std::move(on_refusal)) {}

SegmentDiscovery::~SegmentDiscovery() = default;

Result<std::unique_ptr<SegmentDiscovery>> SegmentDiscovery::create(
    Loop& loop, DiscoverySettings settings, SegmentReader& reader,
    SegmentDirectory::OnRefusal on_refusal) {
  auto counting = std::unique_ptr<SegmentDiscovery>(
      new SegmentDiscovery(std::move(settings), reader, std::move(on_refusal)));
  auto* self = counting.get();
  auto watch = DirWatch::create(loop, [self](const DirEvent& event) { self->on_event(event); });
  if (!watch) return fail(watch.error());
  self->watch_ = std::move(*watch);
  for (const auto& root : self->settings_.roots)
    if (!root.per_pod) self->add_directory(root, root.path, root.name);
  return counting;
}

void SegmentDiscovery::add_directory(const SegmentRoot& root, const std::string& path,
                                     const std::string& domain) {
  const auto number = next_number_++;
  auto counted = [this](Refusal refusal) {
    ++counters_.refused;
    on_refusal_(std::move(refusal));
  };
  directories_[number] = std::make_unique<Watched>(
      root, SegmentDirectory::Place{number, path, domain, &root.policy}, reader_, counted);
}

void SegmentDiscovery::tick(TimePoint now) {
  now_ = now;
  if (now >= next_pods_) {
    next_pods_ = now + kPodsAgain;
    remove_closed_pods();
    for (const auto& root : settings_.roots)
      if (root.per_pod) refresh_pods(root);
  }
  for (auto& [number, watched] : directories_) {
    check_still_there(*watched);
    if (!watched->directory.is_open() && now >= watched->open_at) try_open(*watched, watched->root);
    if (!watched->directory.is_open()) continue;
    if (watched->watch < 0 && now >= watched->watch_at) watch_again(*watched);
    if (now < watched->scan_at) continue;
    watched->directory.start_scan();
    watched->scan_at = now + (watched->watch < 0 ? kUnwatchedScan : settings_.rescan);
  }
}

void SegmentDiscovery::check_still_there(Watched& watched) {
  if (!watched.directory.is_open() || now_ < watched.check_at) return;
  watched.check_at = now_ + kOpenAgain;
  if (watched.directory.still_there()) return;
  drop_watch(watched);
  watched.directory.close();
  watched.open_at = now_;
}

void SegmentDiscovery::try_open(Watched& watched, const SegmentRoot& root) {
  watched.open_at = now_ + kOpenAgain;
  const auto& path = watched.directory.place().path;
  auto fd =
      root.make && !root.per_pod ? make_segments_directory(path, root.group) : open_directory(path);
  if (!fd) {
    if (!std::exchange(watched.told, true)) on_refusal_({path, "", fd.error()});
    return;
  }
  watched.told = false;
  watched.directory.open(std::move(*fd));
  watched.watch_at = now_;
  watched.scan_at = now_ + settings_.rescan;
}

// The watch comes before the scan that follows, so nothing falls between them.
void SegmentDiscovery::watch_again(Watched& watched) {
  const auto number = watched.directory.place().number;
  auto added = watch_->add(watched.directory.fd());
  if (!added) {
    watched.watch_at = now_ + kUnwatchedFor;
    on_refusal_({watched.directory.place().path, "", added.error()});
    return;
  }
  watched.watch = *added;
  by_watch_[*added] = number;
  watched.directory.start_scan();
}

void SegmentDiscovery::drop_watch(Watched& watched) {
  if (watched.watch < 0) return;
  watch_->remove(watched.watch);
  by_watch_.erase(watched.watch);
  watched.watch = -1;
}

void SegmentDiscovery::on_event(const DirEvent& event) {
  if (event.overflow()) {
    ++counters_.overflows;
    rescan_all();
    return;
  }
  const auto found = by_watch_.find(event.watch);
  if (found == by_watch_.end()) return;
  auto& watched = *directories_.at(found->second);
  if (watched.events.add(now_) > kMaxEventsPerSecond) {
    ++counters_.watches_dropped;
    drop_watch(watched);
    watched.watch_at = now_ + kUnwatchedFor;
    watched.scan_at = now_;
    return;
  }
  on_directory_event(watched, event);
}

void SegmentDiscovery::on_directory_event(Watched& watched, const DirEvent& event) {
  const bool ended = event.has(dir_change::kSelfDeleted) || event.has(dir_change::kIgnored) ||
                     event.has(dir_change::kUnmounted);
  if (ended) {
    drop_watch(watched);
    watched.directory.close();
    watched.open_at = now_;
    return;
  }
  if (!event.name.empty()) on_name(watched, event);
}

void SegmentDiscovery::on_name(Watched& watched, const DirEvent& event) {
  const auto number = watched.directory.place().number;
  const auto known = reader_.by_name(number, event.name);
  if (event.has(dir_change::kDeleted)) {
    if (known) reader_.check_name(*known);
    return;
  }
  if (known) {
    reader_.look_now(*known);
    return;
  }
  if (event.name.front() == '#')
    on_inode_name(watched, std::string_view(event.name).substr(1));
  else
    watched.directory.hint(event.name);
}

// A file made with O_TMPFILE raises its events under "#<inode>".
void SegmentDiscovery::on_inode_name(Watched& watched, std::string_view number) {
  const auto directory = watched.directory.place().number;
  const auto inode = inode_of(number);
  const auto segment = inode ? reader_.by_inode(directory, *inode) : std::nullopt;
  if (segment)
    reader_.look_now(*segment);
  else if (watched.audits.add(now_) <= kMaxAuditsPerSecond)
    reader_.audit(directory);
}

bool SegmentDiscovery::work(WallTime wall) {
  bool more = false;
  auto left = settings_.names_per_turn;
  for (auto& [number, watched] : directories_) {
    if (left == 0) return true;
    const auto before = reader_.size();
    more = watched->directory.work(left, wall) || more;
    const auto attached = reader_.size() - before;
    left -= attached < left ? attached : left;
  }
  return more;
}

void SegmentDiscovery::rescan_all() {
  for (auto& [number, watched] : directories_)
    watched->directory.start_scan();
}

SegmentDiscovery::Watched* SegmentDiscovery::by_fd(int directory_fd) {
  for (auto& [number, watched] : directories_)
    if (watched->directory.is_open() && watched->directory.fd() == directory_fd)
      return watched.get();
  return nullptr;
}

void SegmentDiscovery::note_no_room(const SegmentFileRef& file) {
  if (auto* watched = by_fd(file.directory_fd)) watched->directory.note_no_room(file.name);
}

void SegmentDiscovery::note_room(const SegmentFileRef& file) {
  if (auto* watched = by_fd(file.directory_fd)) watched->directory.note_room();
}

void SegmentDiscovery::remove_closed_pods() {
  std::erase_if(directories_, [this](const auto& entry) {
    const auto& directory = entry.second->directory;
    return entry.second->root.per_pod && !directory.is_open() && entry.second->told &&
           reader_.all_of(directory.place().number).empty();
  });
}

void SegmentDiscovery::refresh_pods(const SegmentRoot& root) {
  std::set<std::string> known;
  for (const auto& [number, watched] : directories_)
    known.insert(watched->directory.place().path);
  DIR* entries = ::opendir(root.path.c_str());
  if (!entries) return;
  while (const auto* entry = ::readdir(entries)) {
    const std::string name = entry->d_name;
    const bool usable = entry->d_type == DT_DIR && name.front() != '.' &&
                        name.size() <= kMaxDomainBytes && is_valid_utf8(name);
    const auto path = root.path + "/" + name;
    if (usable && known.size() < kMaxPods && known.insert(path).second)
      add_directory(root, path, name);
  }
  ::closedir(entries);
}

std::vector<std::string> SegmentDiscovery::not_open() const {
  std::vector<std::string> paths;
  for (const auto& [number, watched] : directories_)
    if (!watched->directory.is_open() && !watched->root.per_pod)
      paths.push_back(watched->directory.place().path);
  return paths;
}

std::vector<std::string> SegmentDiscovery::not_on_tmpfs() const {
  std::vector<std::string> paths;
  for (const auto& [number, watched] : directories_)
    if (watched->directory.is_open() && !is_tmpfs(watched->directory.fd()))
      paths.push_back(watched->directory.place().path);
  return paths;
}

}  // namespace plimsoll
