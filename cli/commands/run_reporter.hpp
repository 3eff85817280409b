// run_reporter.hpp - carries what the wrapper's loop learns into the segment, and keeps trying
// where the agent or the controller are not there yet. Main thread only; nothing here waits while
// the tool runs.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/commands/run_registrar.hpp"
#include "cli/session.hpp"
#include "schemas/upload_progress.hpp"
#include "shim/producer.hpp"
#include "shim/run/supervise.hpp"

namespace plimsoll::cli {

struct Reporting {
  ProducerOptions producer;  // its identity and total; the directory is filled in by the reporter
  std::string run_dir;       // --run-dir, "" = not given
  bool manual_seal = false;
  bool switched_off = false;  // PLIMSOLL_DISABLE: no segment and no call
};

class RunReporter : public RunObserver {
 public:
  // Before the tool starts: one call of at most 500 ms, and up to 2 s for a RUN without `segments`.
  RunReporter(const Session& session, Reporting reporting);

  void report(const Sample& sample) override;
  void note(const Diagnostic& diagnostic) override;
  [[nodiscard]] bool cancel_asked() override;
  void tick(TimePoint now) override;

  // The tool is over: its numbers, its end, and at most 500 ms for a call that was never answered.
  void finish(const Terminal& end);

 private:
  void register_first();
  void open();
  void open_again();
  void register_again();
  void hear(const Registered& registered);
  void say(const std::string& line) const;
  void publish_end(const Terminal& end);

  const Session& session_;
  Reporting reporting_;
  std::optional<RunRegistrar> registrar_;  // absent when switched off
  std::unique_ptr<Producer> producer_;
  std::optional<Sample> newest_;
  std::string described_;
  bool answered_ = false;
  bool call_running_ = false;
  TimePoint next_beat_{};
  TimePoint next_try_{};
};

}  // namespace plimsoll::cli
