// segment_create.cpp - O_TMPFILE, fallocate, lock, map, fill, chmod, link; in that order.
#include "shim/segment_create.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <exception>
#include <new>
#include <optional>

#include <boost/interprocess/mapped_region.hpp>

#include "schemas/segment_layout.hpp"
#include "schemas/segment_page.hpp"
#include "schemas/text.hpp"
#include "shim/segment_format.hpp"
#include "shim/system_error.hpp"

namespace plimsoll {
namespace {

using boost::interprocess::mapped_region;
using boost::interprocess::mapping_handle_t;
using boost::interprocess::mode_t;
using boost::interprocess::read_write;

constexpr ::mode_t kCreateMode = 0640;
constexpr ::mode_t kPublishedMode = 0660;  // the group's agent writes the cancel byte
constexpr int kMaxInterruptions = 64;      // fallocate on tmpfs gives up at every signal

// Our descriptor, as Boost wants to see one; it stays ours, with its flags and its lock.
struct CheckedFd {
  int fd;
  [[nodiscard]] mapping_handle_t get_mapping_handle() const { return {fd, false}; }
  [[nodiscard]] mode_t get_mode() const { return read_write; }
};

std::uint64_t boottime_ns() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

// All zero where /proc does not tell.
BootId read_boot_id() {
  const OwnedFd fd(open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
  std::array<char, 64> text{};
  const auto length = fd.is_open() ? read(fd.get(), text.data(), text.size()) : 0;
  std::string digits;
  for (std::ptrdiff_t i = 0; i < length; ++i)
    if (text[static_cast<std::size_t>(i)] != '-' && text[static_cast<std::size_t>(i)] != '\n')
      digits += text[static_cast<std::size_t>(i)];
  return id_from_hex<BootId>(digits).value_or(BootId());
}

Result<SegmentId> random_id() {
  IdBytes bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return fail(system_error("draw a random segment id", errno));
  return id_from_bytes<SegmentId>(bytes);
}

SegmentBirth birth_of(const SegmentId& id, bool made_by_run) {
  struct stat pid_namespace {};
  (void)stat("/proc/self/ns/pid", &pid_namespace);  // diagnostic: zero where /proc is not mounted
  return {id,
          read_boot_id(),
          boottime_ns(),
          pid_namespace.st_ino,
          static_cast<std::uint32_t>(getpid()),
          made_by_run};
}

// Real blocks, now: a store to a hole of a full tmpfs would be SIGBUS in the mover.
int reserve_blocks(int fd, std::size_t size_bytes) {
  int rc = EINTR;
  for (int i = 0; i < kMaxInterruptions && rc == EINTR; ++i)
    rc = posix_fallocate(fd, 0, static_cast<off_t>(size_bytes));
  return rc;
}

int lock_whole_file(int fd) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return fcntl(fd, F_OFD_SETLK, &lock) == 0 ? 0 : errno;
}

bool has_no_tmpfile(int error_number) {
  return error_number == EOPNOTSUPP || error_number == EISDIR || error_number == EINVAL;
}

std::string unfinished_name(const SegmentId& id) {
  auto name = segment_file_name(id);
  return name.replace(name.size() - 4, 4, ".tmp");
}

}  // namespace

// The region lives in raw storage, so that a forked child can leave it undestroyed.
struct MappedSegment::Mapping {
  Mapping(int fd, std::size_t size_bytes) {
    region = new (storage.data())
        mapped_region(CheckedFd{fd}, read_write, 0, size_bytes, nullptr, MAP_POPULATE);
  }
  ~Mapping() {
    if (region != nullptr) region->~mapped_region();
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  alignas(mapped_region) std::array<std::byte, sizeof(mapped_region)> storage{};
  mapped_region* region = nullptr;
};

MappedSegment::MappedSegment() = default;
MappedSegment::MappedSegment(MappedSegment&&) noexcept = default;
MappedSegment& MappedSegment::operator=(MappedSegment&&) noexcept = default;

MappedSegment::~MappedSegment() {
  if (!unfinished_name_.empty() && directory_.is_open())
    (void)unlinkat(directory_.get(), unfinished_name_.c_str(), 0);  // only after a failed create
}

Result<MappedSegment> MappedSegment::create(const SegmentRequest& request) {
  MappedSegment segment;
  const auto id = random_id();
  if (!id) return fail(id.error());
  segment.id_ = *id;
  segment.path_ = request.directory + "/" + segment_file_name(*id);
  segment.directory_ = OwnedFd(open(request.directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!segment.directory_.is_open())
    return fail(system_error("open directory " + quoted(request.directory), errno));
  if (auto opened = segment.open_file(request); !opened) return fail(opened.error());
  if (auto mapped = segment.reserve_and_map(segment_bytes(request.ring_bytes)); !mapped)
    return fail(mapped.error());
  format_segment(segment.bytes(), birth_of(*id, request.made_by_run),
                 std::as_bytes(std::span(request.identity)));
  if (auto published = segment.publish(); !published) {
    const bool retry = segment.unfinished_name_.empty() && !request.without_tmpfile &&
                       published.error().code == ErrorCode::not_found;
    if (!retry) return fail(published.error());
    SegmentRequest named = request;  // no /proc to link through: make it under a name of its own
    named.without_tmpfile = true;
    return create(named);
  }
  segment.directory_.reset();
  return segment;
}

Result<void> MappedSegment::open_file(const SegmentRequest& request) {
  if (!request.without_tmpfile) {
    fd_ = OwnedFd(openat(directory_.get(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, kCreateMode));
    if (fd_.is_open()) return {};
    if (!has_no_tmpfile(errno))
      return fail(system_error("create a segment in " + quoted(request.directory), errno));
  }
  const auto name = unfinished_name(id_);
  fd_ = OwnedFd(openat(directory_.get(), name.c_str(),
                       O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, kCreateMode));
  if (!fd_.is_open())
    return fail(system_error("create a segment in " + quoted(request.directory), errno));
  unfinished_name_ = name;
  return {};
}

Result<void> MappedSegment::reserve_and_map(std::size_t size_bytes) {
  if (const int rc = reserve_blocks(fd_.get(), size_bytes); rc != 0)
    return fail(system_error(
        "reserve " + std::to_string(size_bytes) + " bytes for segment " + quoted(path_), rc));
  if (const int rc = lock_whole_file(fd_.get()); rc != 0)
    return fail(system_error("lock segment " + quoted(path_), rc));
  try {
    mapping_ = std::make_unique<Mapping>(fd_.get(), size_bytes);
  } catch (const std::exception& error) {
    return fail(ErrorCode::io, "map segment " + quoted(path_) + ": " + error.what());
  }
  // No child may ever have the mapping: it alone would keep the lock held after the mover's death.
  if (madvise(mapping_->region->get_address(), size_bytes, MADV_DONTFORK) != 0)
    return fail(system_error("keep segment " + quoted(path_) + " from children", errno));
  return {};
}

Result<void> MappedSegment::publish() {
  if (fchmod(fd_.get(), kPublishedMode) != 0)
    return fail(system_error("set the mode of segment " + quoted(path_), errno));
  if (!unfinished_name_.empty()) return publish_named();
  const auto source = "/proc/self/fd/" + std::to_string(fd_.get());
  const auto name = segment_file_name(id_);
  if (linkat(AT_FDCWD, source.c_str(), directory_.get(), name.c_str(), AT_SYMLINK_FOLLOW) != 0)
    return fail(system_error("name segment " + quoted(path_), errno));
  return {};
}

Result<void> MappedSegment::publish_named() {
  const auto name = segment_file_name(id_);
  const int dir = directory_.get();
  bool done = renameat2(dir, unfinished_name_.c_str(), dir, name.c_str(), RENAME_NOREPLACE) == 0;
  if (!done && (errno == EINVAL || errno == ENOSYS)) {
    done = linkat(dir, unfinished_name_.c_str(), dir, name.c_str(), 0) == 0;
    if (done) (void)unlinkat(dir, unfinished_name_.c_str(), 0);
  }
  if (!done) return fail(system_error("name segment " + quoted(path_), errno));
  unfinished_name_.clear();
  return {};
}

std::span<std::byte> MappedSegment::bytes() const {
  auto* region = mapping_->region;
  return {static_cast<std::byte*>(region->get_address()), region->get_size()};
}

void MappedSegment::ring_bell() const {
  (void)futimens(fd_.get(), nullptr);
}

void MappedSegment::forget_after_fork() noexcept {
  fd_.reset();
  if (mapping_) mapping_->region = nullptr;  // its storage goes, the mapping never was here
}

}  // namespace plimsoll
