// report_plan_test.cpp - what is reported when, how much waits, and what an acknowledgement is
// worth.
#include <rapidcheck/catch.h>
#include <catch2/catch.hpp>

#include <numeric>

#include "schemas/text_bounds.hpp"
#include "schemas/uplink_codec.hpp"
#include "tests/unit/agent/core_rig.hpp"

using namespace plimsoll;
using namespace plimsoll::test;

TEST_CASE("a session begins with everything in order of start, marked at both ends") {
  CoreRig rig;
  for (std::uint64_t number = 1200; number > 0; --number)
    rig.found(number, reading_of(true, 1, 10));
  rig.state.settings.limits = {};
  rig.connect();
  auto batches = CoreRig::sent<Batch>(rig.all);
  REQUIRE(batches.size() == 3);  // 1,024 fit the bounds
  CHECK(batches[0].first_full);
  CHECK_FALSE(batches[0].last_full);
  CHECK_FALSE(batches[1].first_full);
  CHECK(batches[2].last_full);
  const auto reports = CoreRig::reports(rig.all);
  CHECK(reports.size() == 1024);
  CHECK(std::is_sorted(reports.begin(), reports.end(), [](const Report& a, const Report& b) {
    return a.start_boottime_ns < b.start_boottime_ns;
  }));
}

TEST_CASE("an agent without segments says so with an empty full state") {
  CoreRig rig;
  rig.connect();
  const auto batches = CoreRig::sent<Batch>(rig.all);
  REQUIRE(batches.size() == 1);
  CHECK(batches.front().first_full);
  CHECK(batches.front().last_full);
  CHECK(batches.front().reports.empty());
}

TEST_CASE("at most four batches wait for their acknowledgement") {
  auto settings = test_settings();
  settings.limits = {20000, 20000, 20000};
  CoreRig rig(settings);
  for (std::uint64_t number = 1; number <= 3000; ++number)
    rig.found(number, reading_of(true, 1, 10));
  rig.connect();
  CHECK(CoreRig::sent<Batch>(rig.all).size() == kMaxBatchesInFlight);
  CHECK(CoreRig::sent<Batch>(rig.tick_after(seconds(1))).empty());
  rig.receive(Ack{1, 1, {}});
  CHECK(CoreRig::sent<Batch>(rig.tick()).size() == 1);
  rig.acknowledge();
  rig.tick();
  rig.acknowledge();
  CHECK(CoreRig::reports(rig.all).size() == 3000);
}

TEST_CASE("numbers go at most every reportEvery, a change of state and a result at once") {
  CoreRig rig;
  rig.found(1, reading_of(true, 1, 10));
  rig.connect();
  rig.acknowledge();
  rig.advance(milliseconds(200));
  rig.read(1, reading_of(true, 2, 20));
  CHECK(CoreRig::reports(rig.tick()).empty());
  rig.advance(milliseconds(200));
  rig.read(1, reading_of(true, 3, 30));
  CHECK(CoreRig::reports(rig.tick_after(milliseconds(599))).empty());
  const auto reports = CoreRig::reports(rig.tick_after(milliseconds(100)));
  REQUIRE(reports.size() == 1);  // one, of the newest state
  CHECK(reports.front().seq == 3);
  CHECK(reports.front().sample->completed == 30);
  rig.read(1, ended_reading(Outcome::durable));
  const auto ended = CoreRig::reports(rig.tick());
  REQUIRE(ended.size() == 1);
  CHECK(ended.front().state == AttemptState::ended);
  REQUIRE(ended.front().terminal);
  CHECK(ended.front().terminal->outcome == Outcome::durable);
}

TEST_CASE("an attempt that does not change is not reported again") {
  CoreRig rig;
  rig.found(1, reading_of(true, 1, 10));
  rig.connect();
  rig.acknowledge();
  for (int i = 0; i < 20; ++i) {
    rig.read(1, reading_of(true, 1, 10));
    rig.receive(Ping{1, 0, false});
    CHECK(CoreRig::reports(rig.tick_after(seconds(1))).empty());
  }
}

TEST_CASE("the identity is in the first report of a session only") {
  CoreRig rig;
  Identity identity;
  identity.backup = "nightly";
  identity.item = "paths/srv";
  rig.found(1, reading_of(true, 1, 10), identity);
  rig.connect(1);
  auto reports = CoreRig::reports(rig.all);
  REQUIRE(reports.size() == 1);
  CHECK(reports.front().identity == identity);
  rig.acknowledge();
  rig.advance(seconds(2));
  rig.read(1, reading_of(true, 2, 20));
  reports = CoreRig::reports(rig.tick());
  REQUIRE(reports.size() == 1);
  CHECK_FALSE(reports.front().identity);
  rig.apply(LinkClosed{"cut"});
  rig.advance(seconds(6));
  rig.all.clear();
  rig.connect(2);
  reports = CoreRig::reports(rig.all);
  REQUIRE(reports.size() == 1);
  CHECK(reports.front().identity == identity);
}

TEST_CASE("a new session repeats what is live or unacknowledged, and nothing else") {
  CoreRig rig;
  rig.found(1, reading_of(true, 1, 10));                // live
  rig.found(2, ended_reading(Outcome::durable, true));  // will be acknowledged
  rig.found(3, reading_of(false));  // lost: not over before the controller says so
  rig.connect(1);
  rig.acknowledge();
  rig.found(4, ended_reading(Outcome::failed, true));  // never acknowledged
  rig.tick();
  rig.apply(LinkClosed{"cut"});
  rig.advance(seconds(6));
  rig.all.clear();
  rig.connect(2);
  std::vector<SegmentId> again;
  for (const auto& report : CoreRig::reports(rig.all))
    again.push_back(report.segment);
  CHECK(again == std::vector{segment_id(1), segment_id(3), segment_id(4)});
}

TEST_CASE(
    "events travel once, at most eight in a report, the newest of a flood, the rest counted") {
  CoreRig rig;
  auto reading = reading_of(true, 1, 10);
  for (int i = 0; i < 20; ++i)
    reading.events.push_back({Severity::info, "event " + std::to_string(i), 0});
  rig.found(1, reading);
  rig.connect();
  auto reports = CoreRig::reports(rig.all);
  REQUIRE(reports.size() == 1);
  REQUIRE(reports.front().events.size() == kMaxEventsPerReport);
  CHECK(reports.front().events.back().text == "event 19");
  CHECK(reports.front().events_lost == 12);
  auto more = reading_of(true, 2, 20);
  more.events.push_back({Severity::warning, "one more", 0});
  rig.read(1, more);
  rig.acknowledge();
  reports = CoreRig::reports(rig.tick_after(seconds(2)));
  REQUIRE(reports.size() == 1);
  REQUIRE(reports.front().events.size() == 1);
  CHECK(reports.front().events.front().text == "one more");
}

TEST_CASE("events that were sent but not acknowledged come again in the next session") {
  CoreRig rig;
  auto reading = reading_of(true, 1, 10);
  reading.events.push_back({Severity::error, "disk slow", 0});
  rig.found(1, reading);
  rig.connect(1);
  rig.apply(LinkClosed{"cut"});
  rig.advance(seconds(6));
  rig.all.clear();
  rig.connect(2);
  const auto reports = CoreRig::reports(rig.all);
  REQUIRE(reports.size() == 1);
  CHECK(reports.front().events.size() == 1);
}

TEST_CASE("a report refused for lack of room is offered again in the next session and not before") {
  CoreRig rig;
  rig.found(1, ended_reading(Outcome::durable));
  rig.connect(1);
  CHECK(CoreRig::count<Unlink>(rig.acknowledge({{segment_id(1), ReportCode::orphan}})) == 0);
  CHECK(CoreRig::reports(rig.tick_after(seconds(2))).empty());
  rig.apply(LinkClosed{"cut"});
  rig.advance(seconds(6));
  rig.all.clear();
  rig.connect(2);
  CHECK(CoreRig::reports(rig.all).size() == 1);
  CHECK(CoreRig::count<Unlink>(rig.acknowledge()) == 1);
}

TEST_CASE("what was refused by policy is acknowledged: it is neither repeated nor kept") {
  CoreRig rig;
  rig.found(1, ended_reading(Outcome::durable));
  rig.connect(1);
  CHECK(CoreRig::count<Unlink>(rig.acknowledge({{segment_id(1), ReportCode::policy}})) == 1);
  CHECK(rig.state.counters.refused_reports == 1);
}

TEST_CASE("a batch stays within its bytes with the largest identities there can be") {
  CoreRig rig;
  Identity large;
  large.backup = std::string(253, 'b');
  large.item = "paths/" + std::string(600, 'i');
  large.volume_id = std::string(768, 'v');
  large.snapshot_id = std::string(256, 's');
  large.labels.assign(8, "key=" + std::string(120, 'l'));
  for (std::uint64_t number = 1; number <= 200; ++number)
    rig.found(number, reading_of(true, 1, 10), large);
  rig.connect();
  const auto batches = CoreRig::sent<Batch>(rig.all);
  CHECK(batches.size() > 1);
  for (const auto& batch : batches)
    CHECK(encode_uplink(batch).size() <= kMaxBatchBytes);
}

TEST_CASE("born dead is said of a segment whose lock was free at first sight, for ever") {
  CoreRig rig;
  rig.found(1, reading_of(false, 1, 10));
  rig.found(2, reading_of(true, 1, 10));
  rig.read(2, reading_of(false));
  rig.connect();
  const auto reports = CoreRig::reports(rig.all);
  REQUIRE(reports.size() == 2);
  CHECK(reports[0].born_dead);
  CHECK_FALSE(reports[1].born_dead);
  CHECK(reports[1].state == AttemptState::lost);
}

TEST_CASE("ages are of the agent's clock, and a start in the future is no age") {
  CoreRig rig;
  rig.moment.boottime_ns = 4'000'000'000'001 + 90'000'000'000;
  rig.found(1, reading_of(true, 1, 10));
  rig.advance(seconds(3));
  rig.connect();
  auto reports = CoreRig::reports(rig.all);
  REQUIRE(reports.size() == 1);
  CHECK(reports.front().age_ms == 93'000);
  CHECK(reports.front().state_age_ms == 3'000);
  CHECK(reports.front().silent_ms == 3'000);
  rig.moment.boottime_ns = 1;
  CHECK(make_report(rig.attempt(1), 1, rig.moment).age_ms == 0);
}

TEST_CASE(
    "whatever happens, each attempt has at most one pending report and the newest state arrives",
    "[property]") {
  rc::prop("newest state wins",
           [](std::vector<std::tuple<std::uint8_t, std::uint8_t, bool>> script) {
             CoreRig rig;
             std::uint64_t session = 0;
             std::map<SegmentId, std::uint64_t> told;
             std::map<std::uint64_t, std::uint64_t> written;
             const auto collect = [&told, &rig] {
               for (const auto& report : CoreRig::reports(rig.all)) {
                 RC_ASSERT(report.seq >= told[report.segment]);
                 told[report.segment] = report.seq;
               }
               rig.all.clear();
             };
             for (const auto& [number, what, flag] : script) {
               const std::uint64_t segment = number % 5;
               switch (what % 5) {
                 case 0:
                 case 1: {
                   const auto seq = ++written[segment];
                   const auto reading = reading_of(true, seq, static_cast<std::int64_t>(seq * 10));
                   rig.knows(segment) ? rig.read(segment, reading) : rig.found(segment, reading);
                   break;
                 }
                 case 2:
                   rig.tick_after(milliseconds(flag ? 1500 : 100));
                   break;
                 case 3:
                   if (is_synced(rig.state.uplink)) rig.acknowledge();
                   break;
                 default:
                   if (is_synced(rig.state.uplink)) {
                     rig.apply(LinkClosed{"cut"});
                   } else {
                     rig.advance(seconds(6));
                     rig.connect(++session);
                   }
               }
               RC_ASSERT(rig.state.plan.urgent.size() + rig.state.plan.full.size() <= 10U);
               RC_ASSERT(rig.state.plan.changed.size() <= 5U);
               RC_ASSERT(rig.state.uplink.in_flight.size() <= kMaxBatchesInFlight);
               collect();
             }
             rig.apply(LinkClosed{"cut"});  // after faults stop, everything arrives
             rig.advance(seconds(6));
             rig.connect(++session);
             collect();
             for (const auto& [segment, seq] : written)
               RC_ASSERT(told[segment_id(segment)] == seq);
           });
}
