// segment_rig.hpp - reader and discovery on a real directory, with real movers; what they say is
// collected.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "agent/io/segment_discovery.hpp"
#include "agent/io/segment_reader.hpp"
#include "runtime/clock.hpp"
#include "runtime/loop.hpp"
#include "runtime/timer.hpp"
#include "shim/producer.hpp"
#include "tests/support/segment_file.hpp"

namespace plimsoll::test {

inline constexpr milliseconds kPatience{60'000};  // only ends a test that has failed already

inline ProducerOptions mover_options(const std::string& directory,
                                     const std::string& name = "paths/a") {
  ProducerOptions options;
  options.directory = directory;
  options.identity.backup = "nightly";
  options.identity.item = name;
  return options;
}

class SegmentRig {
 public:
  explicit SegmentRig(std::size_t max_open_files = 1000, SegmentPolicy policy = {})
      : reader(max_open_files, [this](Event event) { events.push_back(std::move(event)); }) {
    DiscoverySettings settings;
    SegmentRoot root;
    root.name = "default";
    root.path = directory.path();
    root.policy = std::move(policy);
    settings.roots.push_back(std::move(root));
    auto made = SegmentDiscovery::create(
        loop, std::move(settings), reader,
        [this](Refusal refusal) { refusals.push_back(std::move(refusal)); });
    REQUIRE(made);
    discovery = std::move(*made);
    loop.on_turn([this] { work(); });
    waker = Timer(loop, [this] {
      discovery->tick(clock.now());
      if (sweeping) reader.begin_sweep();
    });
    waker.start_every(milliseconds(20));
    discovery->tick(clock.now());
    work();
  }
  ~SegmentRig() { loop.on_turn({}); }

  void work() {
    while (discovery->work(clock.wall())) {
    }
    while (reader.sweep_some()) {
    }
  }
  bool until(const std::function<bool()>& done) { return loop.run_until(done, kPatience); }

  template <typename Wanted>
  std::vector<Wanted> all() const {
    std::vector<Wanted> found;
    for (const auto& event : events)
      if (const auto* one = std::get_if<Wanted>(&event)) found.push_back(*one);
    return found;
  }
  // The newest look at it, whether found or read.
  std::optional<Reading> last_reading(const SegmentId& segment) const {
    std::optional<Reading> last;
    for (const auto& event : events) {
      if (const auto* found = std::get_if<SegmentFound>(&event);
          found && found->origin.segment == segment)
        last = found->reading;
      if (const auto* read = std::get_if<SegmentRead>(&event); read && read->segment == segment)
        last = read->reading;
    }
    return last;
  }
  bool refused(const std::string& name) const {
    return std::any_of(refusals.begin(), refusals.end(),
                       [&name](const Refusal& r) { return r.name == name; });
  }

  Loop loop;
  Clock clock;
  test::SegmentDirectory directory;
  std::vector<Event> events;
  std::vector<Refusal> refusals;
  SegmentReader reader;
  std::unique_ptr<SegmentDiscovery> discovery;
  Timer waker;
  bool sweeping = false;  // off: only hints lead to looks
};

}  // namespace plimsoll::test
