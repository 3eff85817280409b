// stream_copy.hpp - one of the tool's streams on its way to ours: byte for byte, in order, never
// ahead. Reads only when everything read before is written: a slow reader slows the tool, as
// without us.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "shim/run/output_sink.hpp"

namespace plimsoll {

class StreamCopy {
 public:
  // `source` is the non-blocking read end of the tool's pipe, owned from here on; `target` our
  // stdout or stderr.
  StreamCopy(int source, int target);
  ~StreamCopy();
  StreamCopy(const StreamCopy&) = delete;
  StreamCopy& operator=(const StreamCopy&) = delete;

  [[nodiscard]] bool at_end() const {
    return source_ < 0;
  }  // the tool's end is closed, or we gave up
  [[nodiscard]] bool has_pending() const { return !pending_.empty(); }
  [[nodiscard]] int source() const { return source_; }  // -1 at the end
  [[nodiscard]] int wanted_fd() const;                  // -1 when done
  [[nodiscard]] short wanted_events() const;            // POLLIN or POLLOUT

  // One step that does not block: writes what waits, or reads (at most 64 KiB) and writes. Answers
  // the bytes just read, for the parser: valid until the next step.
  [[nodiscard]] std::string_view step();

  // No more will be read. What has been read is still written.
  void close_source();

 private:
  void flush();

  int source_;
  OutputSink sink_;
  std::vector<char> buffer_;
  std::string_view pending_;  // part of buffer_ that is not written yet
};

}  // namespace plimsoll
