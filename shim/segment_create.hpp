// segment_create.hpp - makes one segment file: whole, locked and named in one step, or not at all.
// The descriptor stays open for life, for its OFD lock is what "alive" means; the kernel drops it
// on any death.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "schemas/ids.hpp"
#include "schemas/result.hpp"
#include "shim/owned_fd.hpp"

namespace plimsoll {

struct SegmentRequest {
  std::string directory;  // must exist
  std::string identity;   // an encoded Identity
  std::uint32_t ring_bytes = 0;
  bool made_by_run = false;
  bool without_tmpfile = false;  // take the way for file systems that have no O_TMPFILE
};

class MappedSegment {
 public:
  // Errors: not_found, permission, no_space, io. Nothing is left behind on failure.
  [[nodiscard]] static Result<MappedSegment> create(const SegmentRequest& request);

  MappedSegment(MappedSegment&&) noexcept;
  MappedSegment& operator=(MappedSegment&&) noexcept;
  ~MappedSegment();  // unmaps and closes: the lock goes free. The file stays, it is the agent's to
                     // unlink

  [[nodiscard]] std::span<std::byte> bytes() const;
  [[nodiscard]] const SegmentId& id() const { return id_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  // Raises IN_ATTRIB, so that the agent looks at once. One system call; failure costs nothing but
  // time.
  void ring_bell() const;

  // In a child after fork: closes the copied descriptor and never unmaps, for the mapping did not
  // come along.
  void forget_after_fork() noexcept;

 private:
  struct Mapping;
  MappedSegment();
  Result<void> open_file(const SegmentRequest& request);
  Result<void> reserve_and_map(std::size_t size_bytes);
  Result<void> publish();
  Result<void> publish_named();

  OwnedFd directory_;
  OwnedFd fd_;
  std::unique_ptr<Mapping> mapping_;
  SegmentId id_;
  std::string path_;
  std::string unfinished_name_;  // of the `.tmp` file; empty with O_TMPFILE
};

}  // namespace plimsoll
