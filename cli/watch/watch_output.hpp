// watch_output.hpp - the three faces of `plimsoll watch`: a live view, plain lines, JSON lines.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/live_view.hpp"
#include "cli/session.hpp"
#include "cli/watch/terminal.hpp"
#include "cli/watch/watch_state.hpp"

namespace plimsoll::cli {

class WatchOutput {
 public:
  virtual ~WatchOutput() = default;
  virtual void event(const WatchEvent&) {}
  virtual void changed(const WatchChange&) {}
  // Called when something changed, and once a second; never more than four times a second.
  virtual void tick(const WatchState& state, TimePoint now) = 0;
  virtual void resized() {}
  virtual void suspend() {}  // before the process stops
  virtual void resume() {}
  virtual void finish(const WatchState& state) = 0;
};

// Full screen, or in place below what is there; the last frame stays on the screen at the end.
class LiveOutput : public WatchOutput {
 public:
  LiveOutput(const Session& session, Placement placement, std::string source, bool keys);
  ~LiveOutput() override;
  void tick(const WatchState& state, TimePoint now) override;
  void resized() override;
  void suspend() override;
  void resume() override;
  void finish(const WatchState& state) override;

 private:
  [[nodiscard]] Lines frame_of(const WatchState& state, const Screen& screen, bool keys) const;
  void close();

  const Session& session_;
  Placement placement_;
  std::string source_;
  bool keys_;
  bool open_ = true;
  Screen screen_;
  LiveView view_;
};

// One line per change of state, and a summary at most every 10 s and only if it says something new.
class PlainOutput : public WatchOutput {
 public:
  explicit PlainOutput(const Session& session) : session_(session) {}
  void changed(const WatchChange& change) override;
  void tick(const WatchState& state, TimePoint now) override;
  void finish(const WatchState& state) override;

 private:
  void summarise(const WatchState& state);

  const Session& session_;
  std::optional<TimePoint> next_summary_;
  std::map<std::string, std::string> said_;  // by backup, without the time
};

// The server's objects, one a line, as {"type","object"}.
class JsonOutput : public WatchOutput {
 public:
  explicit JsonOutput(const Session& session) : session_(session) {}
  void event(const WatchEvent& event) override;
  void tick(const WatchState&, TimePoint) override;
  void finish(const WatchState&) override;

 private:
  const Session& session_;
};

}  // namespace plimsoll::cli
