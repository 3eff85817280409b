// feed.cpp - the inbox both sides share, and the loop of a stream's thread.
#include "cli/watch/feed.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <utility>

#include "runtime/errno_error.hpp"

namespace plimsoll::cli {
namespace {

constexpr std::size_t kMaxWaiting = 4096;  // messages; then the stream's thread waits
constexpr std::chrono::seconds kRedialAfter{1};

}  // namespace

// Guarded by `mutex`; `changed` tells of room in it and of stop().
struct Feed::Inbox {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<FeedMessage> waiting;
  bool stopping = false;
  UniqueFd bell;  // counts; readable while something waits

  bool put(FeedMessage message) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return stopping || waiting.size() < kMaxWaiting; });
    if (stopping) return false;
    waiting.push_back(std::move(message));
    const std::uint64_t one = 1;
    (void)!write(bell.get(), &one, sizeof one);  // full = already readable
    return true;
  }

  bool stopped() {
    const std::lock_guard lock(mutex);
    return stopping;
  }

  // false = stop was asked for.
  bool pause() {
    std::unique_lock lock(mutex);
    return !changed.wait_for(lock, kRedialAfter, [this] { return stopping; });
  }

  void read_stream(const Client& client, Stream stream, const std::string& path) {
    do {
      if (!put({FeedMessage::Kind::began, stream, {}, {}})) return;
      Follow follow;
      follow.path = path;
      follow.keep_going = [this] { return !stopped(); };
      follow.take = [&](WatchEvent event) {
        return put({FeedMessage::Kind::event, stream, std::move(event), {}});
      };
      const auto result = client.follow(follow);
      const Error closed{ErrorCode::closed, "the server closed the watch", "", ""};
      if (!put({FeedMessage::Kind::ended, stream, {}, result ? closed : result.error()})) return;
    } while (pause());
  }
};

Feed::Feed(std::unique_ptr<Inbox> inbox) : inbox_(std::move(inbox)) {}

Result<Feed> Feed::open() {
  auto inbox = std::make_unique<Inbox>();
  inbox->bell.reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!inbox->bell) return fail(errno_error("open an event descriptor", errno));
  return Feed(std::move(inbox));
}

Feed::~Feed() {
  if (!inbox_) return;
  stop();
  for (auto& thread : threads_)
    thread.join();
}

void Feed::stop() {
  const std::lock_guard lock(inbox_->mutex);
  inbox_->stopping = true;
  inbox_->changed.notify_all();
}

void Feed::follow(const Client& client, Stream stream, const std::string& path) {
  threads_.emplace_back(
      [inbox = inbox_.get(), client, stream, path] { inbox->read_stream(client, stream, path); });
}

int Feed::fd() const {
  return inbox_->bell.get();
}

std::optional<FeedMessage> Feed::take() {
  const std::lock_guard lock(inbox_->mutex);
  if (inbox_->waiting.empty()) {
    std::uint64_t count = 0;
    (void)!read(inbox_->bell.get(), &count, sizeof count);
    return std::nullopt;
  }
  auto message = std::move(inbox_->waiting.front());
  inbox_->waiting.pop_front();
  inbox_->changed.notify_all();
  return message;
}

}  // namespace plimsoll::cli
