// feed.hpp - one thread per watch stream; each line becomes a message in one bounded inbox.
// A lost connection is made again once a second, for ever; the reader decides when that is too
// long.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cli/client.hpp"
#include "cli/watch/watch_state.hpp"
#include "runtime/unique_fd.hpp"
#include "schemas/result.hpp"

namespace plimsoll::cli {

struct FeedMessage {
  enum class Kind { began, event, ended };
  Kind kind = Kind::began;
  Stream stream = Stream::uploads;
  WatchEvent event;
  Error error;  // of `ended`; code closed = the server closed it in order
};

class Feed {
 public:
  [[nodiscard]] static Result<Feed> open();
  Feed(Feed&&) noexcept = default;
  Feed& operator=(Feed&&) noexcept = default;
  ~Feed();  // waits for the threads: at most about a second

  void follow(const Client& client, Stream stream, const std::string& path);
  [[nodiscard]] int fd() const;  // readable while messages wait
  [[nodiscard]] std::optional<FeedMessage> take();
  void stop();  // asks the threads to end; does not wait

 private:
  struct Inbox;
  explicit Feed(std::unique_ptr<Inbox> inbox);
  std::unique_ptr<Inbox> inbox_;
  std::vector<std::thread> threads_;
};

}  // namespace plimsoll::cli
