// supervise.cpp - see supervise.hpp.
#include "shim/run/supervise.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <time.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

#include "shim/run/cancel_ladder.hpp"
#include "shim/run/controlling_terminal.hpp"
#include "shim/run/exit_verdict.hpp"
#include "shim/run/stream_copy.hpp"

namespace plimsoll {

namespace {

// How long after the tool's end its streams may still be held open by processes it left behind.
// Their bytes up to then are copied; the tool's own are copied however long that takes.
constexpr Duration kDrainWindow = milliseconds(300);

TimePoint steady_time() {
  timespec now{};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);  // cannot fail: this clock always exists
  return TimePoint(seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

bool asks_to_stop(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
}

struct Lane {
  Stream stream = Stream::out;
  std::unique_ptr<StreamCopy> copy;
  std::size_t owed_bytes = 0;  // after the tool's end: what it wrote and we have not read

  [[nodiscard]] bool done(bool window_over) const {
    if (copy->has_pending()) return false;
    return copy->at_end() || (window_over && owed_bytes == 0);
  }
};

class Supervisor {
 public:
  Supervisor(const SuperviseOptions& options, ToolParser& parser, RunObserver& observer,
             SignalInbox& inbox)
      : parser_(parser), observer_(observer), inbox_(inbox), ladder_(options.grace) {}

  RunEnd run(const SpawnPlan& plan);

 private:
  void open_lanes(const Child& child);
  void turn();
  void wait_for_something();
  void step_lane(Lane& lane);
  void deliver(const std::vector<ToolEvent>& events);
  void take_signal(int signal);
  void look_at_child();
  void stopped(int signal);
  void go_on();
  void ended(const ExitStatus& exit);
  void look(TimePoint now);
  void send(int signal);
  [[nodiscard]] bool finished() const;
  [[nodiscard]] bool group_is_gone() const { return kill(-pid_, 0) != 0; }
  [[nodiscard]] Terminal verdict();

  ToolParser& parser_;
  RunObserver& observer_;
  SignalInbox& inbox_;
  ControllingTerminal terminal_;
  CancelLadder ladder_;
  std::vector<Lane> lanes_;
  std::vector<pollfd> polled_;
  pid_t pid_ = -1;
  bool asked_to_stop_ = false;
  bool parser_failed_ = false;
  bool ended_ = false;
  bool give_up_ = false;  // a second request to end, when only a slow reader is left to wait for
  ExitStatus exit_;
  TimePoint ended_at_{};
  TimePoint next_look_{};
};

RunEnd Supervisor::run(const SpawnPlan& plan) {
  RunEnd end;
  const SpawnOutcome spawned = spawn(plan, terminal_, inbox_);
  end.spawn_error = spawned.error;
  if (end.spawn_error != 0) return end;
  pid_ = spawned.child.pid;
  open_lanes(spawned.child);
  next_look_ = steady_time();
  while (!finished())
    turn();
  if (terminal_.is_foreground(pid_)) terminal_.give_to(getpgrp());
  end.exit = exit_;
  end.terminal = verdict();
  return end;
}

void Supervisor::open_lanes(const Child& child) {
  if (child.out_fd >= 0)
    lanes_.push_back({Stream::out, std::make_unique<StreamCopy>(child.out_fd, STDOUT_FILENO), 0});
  if (child.err_fd >= 0)
    lanes_.push_back({Stream::err, std::make_unique<StreamCopy>(child.err_fd, STDERR_FILENO), 0});
}

bool Supervisor::finished() const {
  if (!ended_) return false;
  if (give_up_) return true;
  const bool window_over = steady_time() - ended_at_ >= kDrainWindow;
  // A mover that outlives its leader after a cancel would make "canceled" a lie.
  if (ladder_.begun() && !ladder_.exhausted() && !group_is_gone()) return false;
  return std::all_of(lanes_.begin(), lanes_.end(),
                     [&](const Lane& lane) { return lane.done(window_over); });
}

void Supervisor::turn() {
  wait_for_something();
  if ((polled_.front().revents & POLLIN) != 0)
    for (const int signal : inbox_.take())
      take_signal(signal);
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
    if (polled_[lane + 1].revents != 0) step_lane(lanes_[lane]);
  const TimePoint now = steady_time();
  if (now >= next_look_) look(now);
}

void Supervisor::wait_for_something() {
  polled_.assign(1, pollfd{inbox_.fd(), POLLIN, 0});
  for (const Lane& lane : lanes_)
    polled_.push_back(pollfd{lane.copy->wanted_fd(), lane.copy->wanted_events(), 0});
  TimePoint until = next_look_;
  const TimePoint now = steady_time();
  if (ended_ && ended_at_ + kDrainWindow > now) until = std::min(until, ended_at_ + kDrainWindow);
  const auto wait = std::chrono::ceil<milliseconds>(until - now).count();
  const int timeout_ms = static_cast<int>(std::clamp<std::int64_t>(wait, 0, 1000));
  (void)poll(polled_.data(), polled_.size(),
             timeout_ms);  // EINTR: nothing is ready, the turn goes on
}

void Supervisor::step_lane(Lane& lane) {
  const std::string_view bytes = lane.copy->step();
  lane.owed_bytes -= std::min(lane.owed_bytes, bytes.size());
  if (lane.copy->at_end()) lane.owed_bytes = 0;
  if (bytes.empty() || parser_failed_) return;
  std::vector<ToolEvent> events;
  try {
    parser_.feed(lane.stream, bytes, events);
  } catch (const std::exception&) {
    parser_failed_ = true;  // out of memory: the tool's bytes flow on, only its words are lost
  }
  deliver(events);
}

// Of several samples read at once only the newest is news.
void Supervisor::deliver(const std::vector<ToolEvent>& events) {
  const Sample* newest = nullptr;
  for (const ToolEvent& event : events) {
    if (const auto* sample = std::get_if<Sample>(&event)) newest = sample;
    if (const auto* diagnostic = std::get_if<Diagnostic>(&event)) observer_.note(*diagnostic);
  }
  if (newest != nullptr) observer_.report(*newest);
}

void Supervisor::take_signal(int signal) {
  if (signal == SIGCHLD) return look_at_child();
  if (signal == SIGCONT) return go_on();
  if (asks_to_stop(signal)) asked_to_stop_ = asked_to_stop_ || !ended_;
  if (ended_) give_up_ = give_up_ || asks_to_stop(signal) || signal == SIGQUIT;
  send(signal);
}

void Supervisor::send(int signal) {
  if (ended_ && group_is_gone()) return;
  (void)kill(-pid_, signal);  // ESRCH: it ended meanwhile, which is what a signal mostly wants
}

void Supervisor::look_at_child() {
  while (!ended_) {
    const ChildNews news = look_at(pid_);
    if (news.change == ChildChange::none) return;
    if (news.change == ChildChange::stopped) stopped(news.stop_signal);
    if (news.change == ChildChange::ended) ended(news.exit);
  }
}

// The tool was stopped: we are the shell's job, so we stop too, with the same signal, and it is our
// group's turn at the terminal. A tool that reads a terminal which is ours by now just gets it.
void Supervisor::stopped(int signal) {
  const bool wants_terminal = signal == SIGTTIN || signal == SIGTTOU;
  if (wants_terminal && terminal_.is_foreground(getpgrp())) return go_on();
  const bool had_terminal = terminal_.is_foreground(pid_);
  if (had_terminal) terminal_.give_to(getpgrp());
  inbox_.stop_self(signal, had_terminal);  // returns when we are continued
  go_on();
}

void Supervisor::go_on() {
  if (ended_) return;
  if (terminal_.is_foreground(getpgrp())) terminal_.give_to(pid_);
  send(SIGCONT);
}

void Supervisor::ended(const ExitStatus& exit) {
  ended_ = true;
  exit_ = exit;
  ended_at_ = steady_time();
  for (Lane& lane : lanes_) {
    int waiting = 0;
    const int fd = lane.copy->source();
    if (fd >= 0 && ioctl(fd, FIONREAD, &waiting) == 0 && waiting > 0)
      lane.owed_bytes = static_cast<std::size_t>(waiting);
  }
}

void Supervisor::look(TimePoint now) {
  next_look_ = now + kLookEvery;
  observer_.tick(now);
  look_at_child();  // the signal says it sooner; this also holds where no signalfd could be had
  const bool asked = !ended_ && observer_.cancel_asked();
  const int signal = ladder_.step(asked, now);
  if (signal == 0) return;
  send(signal);
  if (signal != SIGKILL) send(SIGCONT);  // a stopped process could not obey
}

Terminal Supervisor::verdict() {
  const bool stop = asked_to_stop_ || ladder_.begun();
  std::vector<ToolEvent> events;
  Terminal end;
  try {
    end = parser_.finish(exit_, stop, events);
  } catch (const std::exception&) {  // out of memory
    end = judge_exit(exit_, stop, "the tool", "its last words were not read");
    if (end.outcome == Outcome::durable) end.outcome = Outcome::failed;
  }
  deliver(events);
  return end;
}

}  // namespace

RunEnd supervise(const SuperviseOptions& options, ToolParser& parser, RunObserver& observer,
                 SignalInbox& inbox) {
  return Supervisor(options, parser, observer, inbox).run(options.plan);
}

}  // namespace plimsoll
