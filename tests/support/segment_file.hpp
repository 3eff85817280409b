// segment_file.hpp - a segment read the way the agent reads one: pread only. And a directory for
// segments.
#pragma once

#include <catch2/catch.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "schemas/segment_layout.hpp"
#include "schemas/segment_page.hpp"

namespace plimsoll::test {

// On tmpfs where there is one; removed at the end.
class SegmentDirectory {
 public:
  SegmentDirectory() {
    std::string pattern = access("/dev/shm", W_OK) == 0 ? "/dev/shm/" : "/tmp/";
    pattern += "plimsoll-test-XXXXXX";
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  SegmentDirectory(const SegmentDirectory&) = delete;
  SegmentDirectory& operator=(const SegmentDirectory&) = delete;
  ~SegmentDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      names.push_back(entry.path().filename());
    return names;
  }
  // The one segment that is there.
  [[nodiscard]] std::string only_segment() const {
    const auto all = names();
    REQUIRE(all.size() == 1);
    REQUIRE(is_segment_file_name(all.front()));
    return path_ + "/" + all.front();
  }

 private:
  std::string path_;
};

class SegmentFile {
 public:
  explicit SegmentFile(const std::string& path)
      : fd_(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) {
    REQUIRE(fd_ >= 0);
  }
  SegmentFile(const SegmentFile&) = delete;
  SegmentFile& operator=(const SegmentFile&) = delete;
  ~SegmentFile() { close(fd_); }

  [[nodiscard]] struct stat status() const {
    struct stat status {};
    REQUIRE(fstat(fd_, &status) == 0);
    return status;
  }
  [[nodiscard]] std::vector<std::byte> read_at(std::size_t offset, std::size_t size) const {
    std::vector<std::byte> bytes(size);
    const auto got = pread(fd_, bytes.data(), size, static_cast<off_t>(offset));
    bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return bytes;
  }
  [[nodiscard]] PageVerdict judge(std::uint64_t seen_seq = 0) const {
    return judge_page(read_at(0, layout::kHotPageBytes),
                      {static_cast<std::uint64_t>(status().st_size), seen_seq});
  }
  [[nodiscard]] HotPage page(std::uint64_t seen_seq = 0) const {
    const auto verdict = judge(seen_seq);
    INFO("fault " << word(verdict.fault));
    REQUIRE(verdict.ok());
    return verdict.page;
  }
  [[nodiscard]] IdentityVerdict identity() const {
    return judge_identity(read_at(layout::kIdentityOffset, layout::kIdentityBytes));
  }
  [[nodiscard]] RingNews events(std::uint64_t cursor = 0) const {
    const auto hot = page();
    const auto ring = read_at(layout::kRingOffset, hot.header.ring_bytes);
    return read_ring(ring, {hot.marks, read_marks(read_at(layout::kMarksOffset, 64)), cursor});
  }
  // True while a live producer holds the whole-file OFD lock.
  [[nodiscard]] bool is_locked() const {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    REQUIRE(fcntl(fd_, F_OFD_GETLK, &lock) == 0);
    return lock.l_type != F_UNLCK;
  }

 private:
  int fd_;
};

}  // namespace plimsoll::test
