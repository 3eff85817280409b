// output_sink.hpp - writes to our own stdout or stderr without ever blocking the wrapper's loop.
// The descriptor is shared with whoever started us, so O_NONBLOCK must not be set on it: pipes and
// terminals are opened once more through /proc/self/fd, sockets are sent to with MSG_DONTWAIT.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace plimsoll {

class OutputSink {
 public:
  explicit OutputSink(int fd);
  ~OutputSink();
  OutputSink(const OutputSink&) = delete;
  OutputSink& operator=(const OutputSink&) = delete;

  [[nodiscard]] int fd() const { return fd_; }  // for poll(POLLOUT)

  enum class Status : std::uint8_t { ok, full, broken };

  // Writes what goes without waiting and takes it off `bytes`. broken: nobody will ever read it
  // (EPIPE) or the medium refuses.
  [[nodiscard]] Status write_some(std::string_view& bytes);

 private:
  int fd_;
  bool owned_ = false;  // fd_ is our own description, non-blocking
  bool socket_ = false;
  bool may_block_ = false;  // only small writes after POLLOUT are safe
};

}  // namespace plimsoll
