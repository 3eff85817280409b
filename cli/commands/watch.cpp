// watch.cpp - one thread that waits for signals, keys and messages, and redraws at most four times
// a second.
#include "cli/commands/watch.hpp"

#include <poll.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/watch/feed.hpp"
#include "cli/watch/terminal.hpp"
#include "cli/watch/watch_output.hpp"
#include "runtime/errno_error.hpp"
#include "schemas/text.hpp"

namespace plimsoll::cli {
namespace {

constexpr Duration kDrawAtMostEvery = milliseconds(250);
constexpr Duration kDrawAtLeastEvery = seconds(1);  // ages go on although nothing happens
constexpr Duration kUnreachableFor = seconds(30);
constexpr Duration kCatchUpFor = seconds(3);
constexpr int kMessagesPerTurn = 2000;
constexpr int kSignalBase = 128;
constexpr char kEndOfInput = 4;  // Ctrl-D

struct WatchOptions {
  std::vector<std::string> names;
  bool plain = false;
  bool in_place = false;
  std::string until;
};

bool is_passing(ErrorCode code) {
  return code == ErrorCode::unreachable || code == ErrorCode::io || code == ErrorCode::closed ||
         code == ErrorCode::timeout || code == ErrorCode::busy ||
         code == ErrorCode::store_unavailable;
}

class Watching {
 public:
  Watching(Session& session, const Client& client, const WatchOptions& options)
      : session_(session),
        client_(client),
        options_(options),
        state_(options.names, !client.is_agent()),
        keys_(shows_live() ? STDIN_FILENO : -1) {}

  int run() {
    auto signals = SignalQueue::open();
    auto feed = Feed::open();
    if (!signals) return session_.report(signals.error());
    if (!feed) return session_.report(feed.error());
    start(*feed);
    output_ = make_output();
    heard_ = session_.now();
    const auto began = heard_;
    while (!code_) {
      const auto now = session_.now();
      if (now >= next_draw_) draw(now);
      if (timed_out(now - began)) break;
      wait(*signals, *feed, now);
      end_when_done(session_.now());
    }
    feed->stop();
    output_->finish(state_);
    output_.reset();
    keys_.restore();
    return error_ ? session_.report(*error_) : *code_;
  }

 private:
  [[nodiscard]] bool shows_live() const {
    const char* term = std::getenv("TERM");
    const bool able = term != nullptr && *term != '\0' && std::string_view(term) != "dumb";
    return able && session_.stdout_is_terminal() && !options_.plain &&
           session_.options().format != Format::json;
  }

  std::unique_ptr<WatchOutput> make_output() {
    if (session_.options().format == Format::json) return std::make_unique<JsonOutput>(session_);
    if (!shows_live()) return std::make_unique<PlainOutput>(session_);
    return std::make_unique<LiveOutput>(
        session_, options_.in_place ? Placement::in_place : Placement::full_screen,
        std::string(word(client_.endpoint().daemon)), keys_.works());
  }

  void start(Feed& feed) {
    const auto only = options_.names.size() == 1 ? options_.names[0] : std::string();
    feed.follow(client_, Stream::uploads, with_query("/v1/uploads?watch=1", "backup", only));
    if (client_.is_agent()) return;
    feed.follow(client_, Stream::backups, with_query("/v1/backups?watch=1", "name", only));
  }

  void draw(TimePoint now) {
    output_->tick(state_, now);
    drawn_ = now;
    next_draw_ = now + kDrawAtLeastEvery;
  }

  void wait(const SignalQueue& signals, Feed& feed, TimePoint now) {
    const auto left = std::chrono::ceil<milliseconds>(next_draw_ - now).count();
    std::array<pollfd, 3> fds = {pollfd{signals.fd(), POLLIN, 0}, pollfd{feed.fd(), POLLIN, 0},
                                 pollfd{keys_.works() ? STDIN_FILENO : -1, POLLIN, 0}};
    if (poll(fds.data(), fds.size(), static_cast<int>(std::clamp<std::int64_t>(left, 0, 1000))) < 0)
      return;
    if (fds[0].revents != 0) take_signals(signals);
    if (fds[1].revents != 0) take_messages(feed);
    if (fds[2].revents != 0) take_keys();
  }

  void take_signals(const SignalQueue& signals) {
    while (const int signo = signals.take()) {
      if (signo == SIGWINCH) {
        output_->resized();
        next_draw_ = std::max(drawn_ + kDrawAtMostEvery, TimePoint());
      } else if (signo == SIGTSTP) {
        stop_and_continue();
      } else if (signo != SIGCONT) {  // SIGCONT without our stop: a SIGSTOP has ended
        code_ = kSignalBase + signo;
      } else {
        output_->resized();
      }
    }
  }

  void stop_and_continue() {
    output_->suspend();
    keys_.restore();
    stop_here();
    keys_.apply();
    output_->resume();
    next_draw_ = TimePoint();
  }

  void take_keys() {
    char key = 0;
    const auto got = read(STDIN_FILENO, &key, 1);
    if (got <= 0 || key == 'q' || key == 'Q' || key == kEndOfInput) code_ = 0;
  }

  void take_messages(Feed& feed) {
    for (int i = 0; i < kMessagesPerTurn; ++i) {
      auto message = feed.take();
      if (!message) break;
      take(*message);
    }
    next_draw_ = std::min(next_draw_, drawn_ + kDrawAtMostEvery);
  }

  // Every backup is over, and so is what belongs to it; for the rest we wait a little only.
  void end_when_done(TimePoint now) {
    if (options_.until.empty() || !state_.all_over() || state_.outage()) {
      over_since_.reset();
      return;
    }
    if (!over_since_) over_since_ = now;
    if (state_.caught_up() || now - *over_since_ >= kCatchUpFor) code_ = 0;
  }

  void take(const FeedMessage& message) {
    switch (message.kind) {
      case FeedMessage::Kind::began:
        return state_.begin(message.stream);
      case FeedMessage::Kind::event:
        heard_ = session_.now();
        output_->event(message.event);
        for (const auto& change : state_.apply(message.stream, message.event))
          output_->changed(change);
        return;
      case FeedMessage::Kind::ended:
        if (!is_passing(message.error.code)) fail_with(message.error);
        state_.lose(message.stream, message.error.message, session_.wall());
    }
  }

  bool timed_out(Duration running) {
    const auto& options = session_.options();
    if (options.timeout_given && running >= options.timeout)
      fail_with({ErrorCode::timeout, "watch: --timeout has passed", "", ""});
    else if (!options_.until.empty() && session_.now() - heard_ >= kUnreachableFor)
      fail_with({ErrorCode::unreachable,
                 "watch: the " + std::string(word(client_.endpoint().daemon)) +
                     " has not answered for 30 s",
                 "is it running? The uploads go on without it", ""});
    return error_.has_value();
  }

  void fail_with(Error error) {
    code_ = info(error.code).exit_code;
    error_ = std::move(error);
  }

  Session& session_;
  const Client& client_;
  const WatchOptions& options_;
  WatchState state_;
  QuietKeys keys_;
  std::unique_ptr<WatchOutput> output_;
  TimePoint drawn_{}, next_draw_{}, heard_{};
  std::optional<TimePoint> over_since_;
  std::optional<int> code_;
  std::optional<Error> error_;
};

// Names that do not exist, and a daemon that is not there, are told before the screen is taken.
Result<void> check_names(const Client& client, const std::vector<std::string>& names) {
  if (!client.is_agent() && !names.empty()) {
    for (const auto& name : names)
      if (auto found = client.get(backup_path(name)); !found) return fail(found.error());
    return {};
  }
  const auto answer = client.get("/version");
  const auto code = answer ? ErrorCode::internal : answer.error().code;
  if (code == ErrorCode::unreachable || code == ErrorCode::permission || code == ErrorCode::timeout)
    return fail(answer.error());
  return {};
}

int watch(Session& session, const WatchOptions& options) {
  const auto client = session.connect(Need::any_daemon);
  if (!client) return session.report(client.error());
  if (auto checked = check_names(*client, options.names); !checked)
    return session.report(checked.error());
  return Watching(session, *client, options).run();
}

}  // namespace

void add_watch(CLI::App& app, CommandLine& line) {
  auto& options = line.keep<WatchOptions>();
  app.add_option("NAME", options.names, "only these backups; without it, all that is not over")
      ->type_name("");
  app.add_flag("--plain", options.plain, "one line per change, for logs; the default in a pipe");
  app.add_flag("--inline", options.in_place, "below what is there instead of full screen");
  app.add_option("--until", options.until, "end by itself: when everything is over")
      ->type_name("done")
      ->check(CLI::IsMember({"done"}));
  app.callback([&line, &options] {
    line.choose([&options](Session& session) { return watch(session, options); });
  });
}

}  // namespace plimsoll::cli
