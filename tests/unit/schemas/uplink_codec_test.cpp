// uplink_codec_test.cpp - every uplink message survives the round trip; hostile frames are refused.
#include "schemas/uplink_codec.hpp"

#include <rapidcheck/catch.h>
#include <catch2/catch.hpp>

#include "schemas/frame.hpp"
#include "schemas/text_bounds.hpp"

using namespace plimsoll;

namespace {

Report full_report() {
  Report report;
  report.segment = {1, 2};
  report.identity = Identity{};
  report.identity->backup = "nightly";
  report.identity->item = "persistentvolumeclaims/shop/data-0";
  report.domain = "default";
  report.owner_uid = 1000;
  report.start_boottime_ns = 77;
  report.seq = 9;
  report.sample = Sample{};
  report.sample->completed = 10;
  report.state = AttemptState::ended;
  report.reason = "the mover said so";
  report.state_age_ms = 1;
  report.silent_ms = 2;
  report.started_unix_ms = 3;
  report.updated_unix_ms = 4;
  report.rate = 12.5;
  report.terminal = Terminal{};
  report.terminal->outcome = Outcome::durable;
  report.events = {{Severity::warning, "one file unreadable", 6}};
  report.events_lost = 3;
  report.age_ms = 8;
  report.born_dead = true;
  return report;
}

std::vector<UplinkMessage> one_of_each() {
  Hello hello;
  hello.node = "node-a";
  hello.boot = {3, 4};
  hello.agent = {5, 6};
  hello.agent_version = "0.1.0";
  hello.lost_after_ms = 120000;
  return {hello,
          Welcome{7, 1, 1000, StoreId{8, 9}, "0.1.0"},
          Refuse{RefuseCode::fenced, "a newer session is open", 500},
          Batch{7, 1, true, true, {full_report(), Report{{4, 4}}}},
          Ack{7, 1, {{SegmentId{1, 2}, ReportCode::policy}}},
          Desired{7, true, false, {{SegmentId{1, 2}, DesiredAction::cancel}}},
          Ping{7, 99, true}};
}

}  // namespace

TEST_CASE("each uplink message survives the round trip") {
  for (const auto& message : one_of_each()) {
    const auto decoded = decode_uplink(bytes_of_text(encode_uplink(message)));
    REQUIRE(decoded);
    CHECK(*decoded == message);
  }
}

TEST_CASE("a hello without a node or with nothing is refused") {
  CHECK_FALSE(decode_uplink(bytes_of_text(encode_uplink(Hello{}))).has_value());
}

TEST_CASE("a batch of 500 full reports at their bounds is cut into frames that fit") {
  std::vector<Report> reports;
  for (std::uint64_t i = 0; i < 500; ++i) {
    auto report = full_report();
    report.segment = {i, 1};
    report.identity->volume_id = std::string(kMaxVolumeIdBytes, 'v');
    report.events.assign(kMaxEventsPerReport, {Severity::info, std::string(384, 'e'), 1});
    reports.push_back(report);
  }
  std::size_t total = 0;
  const auto batches = split_into_batches(7, reports);
  CHECK(batches.size() > 1);
  for (const auto& batch : batches) {
    const auto bytes = encode_uplink(batch);
    CHECK(bytes.size() <= kMaxFrameTableBytes);
    REQUIRE(decode_uplink(bytes_of_text(bytes)));
    total += batch.reports.size();
  }
  CHECK(total == 500);
}

TEST_CASE("no reports still make one batch, so that an empty full state can be said") {
  const auto batches = split_into_batches(3, {});
  REQUIRE(batches.size() == 1);
  CHECK(batches[0].reports.empty());
}

TEST_CASE("a rate that is no number reads as not known") {
  auto report = full_report();
  report.rate = std::numeric_limits<double>::infinity();
  const auto decoded =
      decode_uplink(bytes_of_text(encode_uplink(Batch{1, 1, true, true, {report}})));
  REQUIRE(decoded);
  CHECK(std::get<Batch>(*decoded).reports[0].rate == -1);
}

TEST_CASE("no frame bytes make the decoder do worse than refuse") {
  rc::prop("mutated frames decode or are refused", [] {
    const auto messages = one_of_each();
    auto bytes = encode_uplink(messages[*rc::gen::inRange<std::size_t>(0, messages.size())]);
    const auto flips = *rc::gen::inRange(1, 8);
    for (int i = 0; i < flips; ++i)
      bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
    (void)decode_uplink(bytes_of_text(bytes));
    (void)decode_uplink(
        bytes_of_text(bytes).first(*rc::gen::inRange<std::size_t>(0, bytes.size())));
  });
}
