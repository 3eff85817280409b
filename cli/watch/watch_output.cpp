// watch_output.cpp - frames to the terminal, lines to whoever reads them.
#include "cli/watch/watch_output.hpp"

#include <cstdio>
#include <utility>

#include "cli/amounts.hpp"
#include "cli/render_plain.hpp"
#include "cli/render_watch.hpp"

namespace plimsoll::cli {
namespace {

constexpr Duration kSummaryEvery = seconds(10);
constexpr std::size_t kTimeWidth = 10;  // "15:31:07Z "

std::string trouble_of(const WatchState& state, const std::string& source, WallTime now) {
  const auto outage = state.outage();
  if (!outage) return "";
  return source + " not answering for " + human_age(outage->since, now);
}

void print_now(const Session& session, const std::string& line) {
  session.print(line + "\n");
  (void)std::fflush(stdout);  // readers of a pipe want it now; errors are noticed at the end
}

}  // namespace

LiveOutput::LiveOutput(const Session& session, Placement placement, std::string source, bool keys)
    : session_(session),
      placement_(placement),
      source_(std::move(source)),
      keys_(keys),
      screen_(session.screen()),
      view_(placement, session.screen().colour) {
  (void)write_to_terminal(view_.begin());
}

LiveOutput::~LiveOutput() {
  close();
}

void LiveOutput::close() {
  if (!std::exchange(open_, false)) return;
  (void)write_to_terminal(view_.end());
}

Lines LiveOutput::frame_of(const WatchState& state, const Screen& screen, bool keys) const {
  const auto now = session_.wall();
  return render_watch(
      {state.backups(), state.uploads(), source_, trouble_of(state, source_, now), !state.synced()},
      {screen, now, keys});
}

void LiveOutput::tick(const WatchState& state, TimePoint) {
  auto screen = screen_;
  // In place: one row is left for the line that the cursor ends on.
  if (placement_ == Placement::in_place && screen.height > 1) --screen.height;
  (void)write_to_terminal(view_.draw(frame_of(state, screen, keys_)));
}

void LiveOutput::resized() {
  const auto size = terminal_size();
  screen_.width = size.width;
  screen_.height = size.height;
  view_.forget();
}

void LiveOutput::suspend() {
  close();
}

void LiveOutput::resume() {
  open_ = true;
  (void)write_to_terminal(view_.begin());
  resized();
}

void LiveOutput::finish(const WatchState& state) {
  if (placement_ == Placement::in_place) {
    auto screen = screen_;
    if (screen.height > 1) --screen.height;
    (void)write_to_terminal(view_.draw(frame_of(state, screen, false)));
    return close();
  }
  close();
  auto screen = screen_;
  screen.height = 0;
  for (const auto& line : frame_of(state, screen, false))
    (void)write_to_terminal(painted(line, screen.colour) + "\n");
}

void PlainOutput::changed(const WatchChange& change) {
  print_now(session_, plain_change(change, session_.wall()));
}

void PlainOutput::tick(const WatchState& state, TimePoint now) {
  if (!state.synced() || (next_summary_ && now < *next_summary_)) return;
  next_summary_ = now + kSummaryEvery;
  summarise(state);
}

void PlainOutput::summarise(const WatchState& state) {
  for (const auto& backup : state.backups()) {
    const auto line = plain_summary(backup, session_.wall());
    auto& said = said_[backup.uid + backup.name];
    const auto news = line.substr(kTimeWidth);
    if (std::exchange(said, news) != news) print_now(session_, line);
  }
}

void PlainOutput::finish(const WatchState& state) {
  summarise(state);
}

void JsonOutput::event(const WatchEvent& event) {
  const nlohmann::json line = {{"type", event.type}, {"object", escaped_copy(event.object)}};
  print_now(session_, line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void JsonOutput::tick(const WatchState&, TimePoint) {}

void JsonOutput::finish(const WatchState&) {}

}  // namespace plimsoll::cli
