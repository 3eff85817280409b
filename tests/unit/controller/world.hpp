// world.hpp - a controller core with a store in memory, a clock turned by hand, and agents that say
// what they are told.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "controller/core/controller_step.hpp"
#include "controller/core/queries.hpp"

namespace plimsoll::test {

using std::chrono::hours;
using std::chrono::minutes;

// For failures: what was refused, or "".
inline std::string why(const ApiResult& result) {
  return result
             ? ""
             : std::string(word(result.error().error.code)) + ": " + result.error().error.message;
}

inline SegmentId segment(std::uint64_t number) {
  return SegmentId{number, 0x5E6};
}

// A running attempt's report; change what the test is about.
Report running(std::uint64_t segment_number, const std::string& backup, const std::string& item);
Report ended(Report report, Outcome outcome, const std::string& err = "", bool will_retry = false);
Report lost(Report report);

class World {
 public:
  explicit World(ControllerSettings settings = {});

  // Performs effects: commits at once unless `hold_commits`, keeps the rest.
  void apply(const Event& event);
  void tick() { apply(Tick{wall()}); }
  void advance(Duration duration);  // with a Tick at every deadline on the way, and one at the end
  void finish_commit();             // the one held
  void fail_commit();
  void restart(Duration down = seconds(1));

  ApiResult call(ApiCall call, Caller caller = {0, true});
  ApiResult create(const std::string& name, SealMode seal = SealMode::manual,
                   const std::vector<std::string>& items = {});
  ApiResult add(const std::string& backup, const std::string& item,
                CreateMode create = CreateMode::no);
  ApiResult seal(const std::string& backup, SealOutcome outcome = SealOutcome::ok,
                 bool allow_empty = false);

  // One agent per node; `connect` returns its session.
  std::uint64_t connect(const std::string& node = "n1", std::uint64_t boot = 1);
  void disconnect(const std::string& node = "n1");
  void report(const Report& report, const std::string& node = "n1");
  void full_state(const std::vector<Report>& reports, const std::string& node = "n1");

  BackupDocument backup(const std::string& name) const;
  BackupPhase phase(const std::string& name) const { return backup(name).phase; }
  UploadDocument upload(const std::string& backup, const std::string& item) const;
  DesiredAction desired(std::uint64_t segment_number, const std::string& node = "n1") const;

  // What was sent to a node's newest connection, of one kind.
  template <typename T>
  std::vector<T> sent(const std::string& node = "n1") const {
    std::vector<T> found;
    for (const auto& effect : effects)
      if (const auto* one = std::get_if<Send>(&effect))
        if (const auto* message = std::get_if<T>(&one->message);
            message && one->connection == connection(node))
          found.push_back(*message);
    return found;
  }
  ConnectionId connection(const std::string& node) const;
  std::uint64_t batches_of(const std::string& node) const;  // sent on its newest connection
  WallTime wall() const { return wall_; }

  ControllerSettings settings;
  ControllerState state;
  TimePoint now{hours(1000)};
  bool hold_commits = false;
  std::optional<Commit> held;
  Model stored;
  std::set<SegmentId> gone;     // segments whose row the store was told to delete
  std::vector<Effect> effects;  // all but commits, since the test cleared it

 private:
  struct Node {
    std::string name;
    ConnectionId connection{};
    std::uint64_t session = 0;
    std::uint64_t seq = 0;
  };
  Node& node(const std::string& name);
  LoadedStore load() const;
  void note_deleted(const StoreWrite& write);

  WallTime wall_{std::chrono::sys_days{std::chrono::year{2026} / 12 / 1}};
  std::vector<Node> nodes_;
  std::uint64_t last_connection_ = 0;
  std::uint64_t last_request_ = 0;
  std::uint64_t last_seed_ = 0;
};

}  // namespace plimsoll::test
