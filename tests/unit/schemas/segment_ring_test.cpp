// segment_ring_test.cpp - the ring reader on rings made by hand, and mutated segments of every
// kind.
#include <catch2/catch.hpp>

#include <rapidcheck/catch.h>

#include "schemas/segment_page.hpp"
#include "tests/support/hand_made_segment.hpp"

using namespace plimsoll;
using plimsoll::test::HandMadeSegment;

namespace {

std::string event_of(const std::string& text) {
  return encode(UploadEvent{Severity::info, text, 0});
}

RingMarks marks_of(std::uint64_t tail, std::uint64_t last_record) {
  return {tail, tail, last_record, 0};
}

// Two records from position 0; `tail` is their end.
struct TwoEvents {
  TwoEvents() {
    const auto first = event_of("one");
    second_at = layout::record_bytes(first.size());
    segment.set_record(0, first);
    const auto second = event_of("two");
    segment.set_record(second_at, second);
    tail = second_at + layout::record_bytes(second.size());
    marks = marks_of(tail, second_at);
  }
  HandMadeSegment segment;
  std::uint64_t second_at = 0;
  std::uint64_t tail = 0;
  RingMarks marks;
};

}  // namespace

TEST_CASE("events come in order, once") {
  TwoEvents made;
  auto news = read_ring(made.segment.ring(), {made.marks, made.marks, 0});
  REQUIRE(news.events.size() == 2);
  CHECK(news.events[0].text == "one");
  CHECK(news.events[1].text == "two");
  CHECK(news.cursor == made.tail);
  CHECK(news.lost_events == 0);
  CHECK(read_ring(made.segment.ring(), {made.marks, made.marks, news.cursor}).events.empty());
}

TEST_CASE("a record that the writer has begun to overwrite is not taken") {
  TwoEvents made;
  auto after = made.marks;
  after.tail_intent = made.segment.ring_bytes() + 8;  // it now writes into the first record
  const auto news = read_ring(made.segment.ring(), {made.marks, after, 0});
  REQUIRE(news.events.size() == 1);
  CHECK(news.events[0].text == "two");
  CHECK(news.lost_bytes == made.second_at);
  CHECK(news.lost_events == 1);
  CHECK(news.fault == SegmentFault::none);
}

TEST_CASE("a reader lapped twice waits at the newest record for the next copy") {
  TwoEvents made;
  const RingMarks after = marks_of(100 * 4096, 100 * 4096 - 64);
  const auto news = read_ring(made.segment.ring(), {made.marks, after, 0});
  CHECK(news.events.empty());
  CHECK(news.cursor == after.last_record);
  CHECK(news.lost_bytes == after.last_record);
}

TEST_CASE("a damaged record ends the reading of its ring, counted, at the tail") {
  TwoEvents made;
  SECTION("payload") {
    made.segment.bytes()[0x2000 + 20] ^= std::byte{1};
  }
  SECTION("length over the bound") {
    made.segment.put(0x2000, std::uint32_t{513});
  }
  SECTION("length over the ring") {
    made.segment.put(0x2000, std::uint32_t{0xFFFFFFF0});
  }
  SECTION("position of another lap") {
    made.segment.put(0x2008, std::uint64_t{4096});
  }
  SECTION("a pad that is none") {
    made.segment.put(0x2000, std::uint64_t{0xFFFFFFFF});
    made.segment.put(0x2008, std::uint64_t{0});
  }
  const auto news = read_ring(made.segment.ring(), {made.marks, made.marks, 0});
  CHECK(news.events.empty());
  CHECK(news.fault == SegmentFault::event_payload);
  CHECK(news.cursor == made.tail);
  CHECK(news.lost_events >= 1);
}

TEST_CASE("a whole record that is no event is skipped alone") {
  TwoEvents made;
  made.segment.set_record(0, "no flatbuffer");
  const auto tail = layout::record_bytes(13);
  const auto news = read_ring(made.segment.ring(), {marks_of(tail, 0), marks_of(tail, 0), 0});
  CHECK(news.events.empty());
  CHECK(news.fault == SegmentFault::event_payload);
  CHECK(news.cursor == tail);
}

TEST_CASE("a pad of eight bytes and one of more both lead to the ring's beginning") {
  for (const std::uint64_t room : {8U, 48U}) {
    HandMadeSegment segment;
    const std::uint64_t pad_at = segment.ring_bytes() - room;
    segment.put(0x2000 + pad_at, std::uint64_t{0xFFFFFFFF});
    if (room >= 16) segment.put(0x2000 + pad_at + 8, pad_at);
    segment.set_record(segment.ring_bytes(), event_of("after the wrap"));
    const auto tail =
        segment.ring_bytes() + layout::record_bytes(event_of("after the wrap").size());
    const auto marks = marks_of(tail, segment.ring_bytes());
    const auto news = read_ring(segment.ring(), {marks, marks, pad_at});
    REQUIRE(news.events.size() == 1);
    CHECK(news.events[0].text == "after the wrap");
    CHECK(news.cursor == tail);
  }
}

TEST_CASE("marks that cannot be are a fault, and reading goes on from a sane tail") {
  TwoEvents made;
  const RingMarks wild[] = {
      {1, 1, 0, 0},                      // not a multiple of eight
      {8, 8, 16, 0},                     // newest record after the tail
      {1ULL << 63U, 1ULL << 63U, 0, 0},  // beyond any count
      {0, 0, 0, 0},                      // behind the cursor
  };
  for (const auto& marks : wild) {
    const auto news = read_ring(made.segment.ring(), {marks, marks, made.second_at});
    CHECK(news.fault == SegmentFault::ring_marks);
    CHECK(news.events.empty());
    CHECK(news.cursor % 8 == 0);
  }
  CHECK(read_ring(made.segment.ring().first(100), {made.marks, made.marks, 0}).fault ==
        SegmentFault::ring_marks);
}

TEST_CASE(
    "a reader without memory begins at the start, or at the newest record after an overwrite") {
  CHECK(first_cursor(marks_of(4096, 4000), 4096) == 0);
  CHECK(first_cursor(marks_of(4104, 4000), 4096) == 4000);
  CHECK(read_marks({}).tail == 0);
}

namespace {

// All readers over one segment: nothing may crash, hang or hand out more than the bounds allow.
void read_everything(HandMadeSegment& segment) {
  const auto verdict = judge_page(segment.page(), {segment.bytes().size(), 0});
  const auto identity = judge_identity(segment.identity());
  RC_ASSERT(identity.identity.backup.size() <= 253U);
  const RingMarks marks = read_marks(segment.page().subspan(0x140));
  const auto news = read_ring(segment.ring(), {marks, marks, 0});
  RC_ASSERT(news.events.size() <= segment.ring_bytes() / 16);
  RC_ASSERT(news.cursor % 8 == 0U);
  if (verdict.page.sample) RC_ASSERT(verdict.page.sample->description.size() <= 160U);
  if (verdict.page.terminal) RC_ASSERT(verdict.page.terminal->err.size() <= 512U);
}

}  // namespace

TEST_CASE("no mutation of a segment crashes a reader or passes a bound") {
  rc::prop("hostile bytes under broken CRCs", [] {
    TwoEvents made;
    made.segment.put(0x140, made.marks);
    made.segment.set_terminal(encode(Terminal{}));
    made.segment.set_slot(1, encode(Sample{}));
    const auto size = made.segment.bytes().size();
    const auto count = *rc::gen::inRange(1, 40);
    for (int i = 0; i < count; ++i)
      made.segment.bytes()[*rc::gen::inRange<std::size_t>(0, size)] =
          static_cast<std::byte>(*rc::gen::arbitrary<std::uint8_t>());
    read_everything(made.segment);
  });
  rc::prop("hostile payloads under right CRCs", [] {
    TwoEvents made;
    const auto spoil = [](std::string payload) {
      const auto count = *rc::gen::inRange(1, 8);
      for (int i = 0; i < count; ++i)
        payload[*rc::gen::inRange<std::size_t>(0, payload.size())] =
            static_cast<char>(*rc::gen::arbitrary<std::uint8_t>());
      return payload;
    };
    Sample sample;
    sample.description = "what it does";
    made.segment.set_slot(1, spoil(encode(sample)));
    Terminal failed;
    failed.outcome = Outcome::failed;
    failed.err = "cause";
    made.segment.set_terminal(spoil(encode(failed)));
    Identity identity;
    identity.backup = "b";
    identity.labels = {"a=b", "c=d"};
    made.segment.set_identity(spoil(encode(identity)));
    made.segment.set_record(0, spoil(event_of("one")));
    made.segment.put(0x140, made.marks);
    read_everything(made.segment);
  });
}
