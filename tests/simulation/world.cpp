// world.cpp - the order of things in a simulated run. Every pass is an action boundary at which
// anything may die.
#include "tests/simulation/world.hpp"

#include "tests/simulation/sim_mover.hpp"

namespace plimsoll::sim {
namespace {

constexpr std::size_t kNodes = 2;
constexpr int kFaultyPasses = 700;
constexpr Duration kQuietTime = std::chrono::minutes(5);
constexpr Duration kCalm = seconds(8);  // S8: 5 s, and what a simulated wire and commit may take

class World {
 public:
  explicit World(const RunOptions& options) : world_(options.seed), controller_(world_) {
    world_.mutant = options.mutant;
    world_.tell = options.tell;
    for (std::size_t node = 0; node < kNodes; ++node)
      agents_.push_back(std::make_unique<SimAgent>(
          world_, node, [this](std::size_t from) { return controller_.accept(from); }));
    clients_ = std::make_unique<SimClients>(world_, controller_, kNodes);
  }

  RunResult run() {
    controller_.start();
    for (auto& agent : agents_)
      agent->start();
    for (int pass = 0; pass < kFaultyPasses && !broken(); ++pass) {
      do_harm();
      pass_by(milliseconds(10 + world_.rng.below(world_.rng.one_in(10) ? 1500 : 200)));
      clients_->act();
    }
    quiet();
    return result();
  }

 private:
  [[nodiscard]] bool broken() const { return world_.laws.violation().has_value(); }

  void pass_by(Duration d) {
    world_.now += d;
    for (std::size_t i = 0; i < world_.movers.size(); ++i)
      if (world_.rng.one_in(3)) act(world_, world_.movers[i]);
    for (auto& agent : agents_)
      agent->turn();
    controller_.turn();
    check_calm();
  }

  void do_harm() {
    auto& agent = *agents_[world_.rng.below(kNodes)];
    switch (world_.rng.below(120)) {
      case 0:
        return agent.alive() ? agent.crash() : agent.start();
      case 1:
        return controller_.alive() ? controller_.crash() : controller_.start();
      case 2:
        return agent.pause(milliseconds(world_.rng.below(9000)));
      case 3:
        return controller_.pause(milliseconds(world_.rng.below(9000)));
      case 4:
        return cut_a_wire();
      case 5:
        if (world_.rng.one_in(10)) agent.reboot();
        return;
      default:
        break;
    }
    // What crashed comes back: a supervisor restarts it.
    if (!agent.alive() && world_.rng.one_in(15)) agent.start();
    if (!controller_.alive() && world_.rng.one_in(15)) controller_.start();
  }

  void cut_a_wire() {
    if (world_.wires.empty()) return;
    auto wire = world_.wires.begin();
    std::advance(wire, static_cast<std::ptrdiff_t>(world_.rng.below(world_.wires.size())));
    wire->controller_end = wire->agent_end = false;
    world_.note("a wire is cut");
  }

  void check_calm() {
    bool calm = controller_.alive() && !controller_.paused();
    for (const auto& agent : agents_)
      calm = calm && agent->synced();
    if (!calm) calm_since_ = world_.now;
    if (world_.now - calm_since_ >= kCalm) world_.laws.check_cancels(world_, kCalm);
  }

  void quiet() {
    world_.faults = false;
    world_.note("all faults are over");
    if (!controller_.alive()) controller_.start();
    for (auto& agent : agents_)
      if (!agent->alive()) agent->start();
    const auto end = world_.now + kQuietTime;
    for (int pass = 0; world_.now < end && !broken(); ++pass) {
      pass_by(milliseconds(300));
      if (pass % 50 == 40) clients_->finish();
    }
    if (!broken()) world_.laws.check_settled(world_.disk);
  }

  [[nodiscard]] RunResult result() const {
    RunResult result{world_.laws.violation(), world_.trace, world_.steps, 0, 0};
    for (const auto& [uid, record] : world_.disk.backups) {
      result.completed += record.phase == BackupPhase::completed ? 1 : 0;
      result.failed += record.phase == BackupPhase::partially_failed ? 1 : 0;
    }
    return result;
  }

  Context world_;
  SimController controller_;
  std::vector<std::unique_ptr<SimAgent>> agents_;
  std::unique_ptr<SimClients> clients_;
  TimePoint calm_since_{};
};

}  // namespace

RunResult run_world(const RunOptions& options) {
  return World(options).run();
}

}  // namespace plimsoll::sim
