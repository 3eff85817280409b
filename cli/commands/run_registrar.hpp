// run_registrar.hpp - tells the controller about the upload: one idempotent PUT, again until it is
// answered. A thread of its own makes the calls, for the tool's bytes must not wait for them. It
// shares nothing with the main thread but the small state behind one mutex, and every call of it is
// bounded by kCallTimeout.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "cli/session.hpp"
#include "schemas/time.hpp"

namespace plimsoll::cli {

inline constexpr milliseconds kCallTimeout{500};

struct Registering {
  std::string backup;
  std::string item;
  std::string snapshot_id;
  std::string volume_id;
  std::uint32_t parts_total = 0;  // 0 = not said
  bool manual_seal = false;       // --no-seal
};

// What the controller said. Not answered: unreachable, silent, busy, or its store cannot commit.
struct Registered {
  bool answered = false;
  bool accepted = false;
  std::string backup;      // as it is called now
  std::string backup_uid;  // "" = not told
  Error error;             // when not accepted
};

class RunRegistrar {
 public:
  RunRegistrar(const Session& session, Registering request);
  ~RunRegistrar();  // waits for a call in flight: at most kCallTimeout
  RunRegistrar(const RunRegistrar&) = delete;
  RunRegistrar& operator=(const RunRegistrar&) = delete;

  // Begins a call unless one is in flight. `may_rename`: a name that is over is followed by one
  // with a time; only before the segment names the backup for good.
  void ask(bool may_rename);

  // The result of the call asked for last, waiting at most that long; nothing while it is in
  // flight.
  [[nodiscard]] std::optional<Registered> wait(milliseconds at_most);

 private:
  void work();
  [[nodiscard]] Registered call(bool may_rename);
  [[nodiscard]] Registered put(const std::string& backup) const;

  GlobalOptions options_;
  Environment environment_;
  Registering request_;  // the thread's alone once it runs

  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  bool asked_ = false;
  bool may_rename_ = false;
  std::optional<Registered> result_;

  std::thread thread_;  // last: it uses everything above
};

}  // namespace plimsoll::cli
