// segment_page_test.cpp - the judge of a hot page and of an identity, on pages made by hand.
#include <catch2/catch.hpp>

#include <functional>

#include "schemas/segment_page.hpp"
#include "tests/support/hand_made_segment.hpp"

using namespace plimsoll;
using plimsoll::test::HandMadeSegment;

namespace {

PageVerdict judge(HandMadeSegment& segment, std::uint64_t seen_seq = 0) {
  return judge_page(segment.page(), {segment.bytes().size(), seen_seq});
}

std::string sample_of(std::int64_t completed) {
  Sample sample;
  sample.completed = completed;
  sample.total = 100;
  return encode(sample);
}

std::string terminal_of(Outcome outcome) {
  Terminal terminal;
  terminal.outcome = outcome;
  terminal.stored_as = "snap";
  return encode(terminal);
}

}  // namespace

TEST_CASE("a fresh segment is sound and says nothing yet") {
  HandMadeSegment segment;
  const auto verdict = judge(segment);
  REQUIRE(verdict.ok());
  CHECK(to_hex(verdict.page.header.segment) == "5eed0000000000000000000000000000");
  CHECK(to_hex(verdict.page.header.boot) == "b0070000000000000000000000000000");
  CHECK(verdict.page.header.start_boottime_ns == 77);
  CHECK(verdict.page.header.ring_bytes == 4096);
  CHECK(verdict.page.seq == 0);
  CHECK_FALSE(verdict.page.sample);
  CHECK(verdict.page.terminal_state == TerminalSlotState::absent);
  CHECK_FALSE(verdict.page.cancel_asked);
}

TEST_CASE("heartbeat, flags, cancel and marks are read from their places") {
  HandMadeSegment segment;
  segment.put(0x100, std::uint64_t{41});
  segment.put(0x110, std::uint64_t{1});
  segment.put(0x140, std::uint64_t{48});
  segment.put(0x148, std::uint64_t{40});
  segment.put(0x150, std::uint64_t{24});
  segment.put(0x158, std::uint64_t{3});
  segment.put(0x180, std::uint8_t{1});
  const auto page = judge(segment).page;
  CHECK(page.heartbeat == 41);
  CHECK(page.made_by_run);
  CHECK(page.cancel_asked);
  CHECK(page.marks.tail_intent == 48);
  CHECK(page.marks.tail == 40);
  CHECK(page.marks.last_record == 24);
  CHECK(page.marks.dropped_too_big == 3);
}

TEST_CASE("every wrong constant of the header is refused, even under a right CRC") {
  struct Case {
    const char* what;
    std::function<void(layout::Header&)> spoil;
    SegmentFault fault;
  };
  const std::vector<Case> cases = {
      {"magic", [](auto& h) { h.magic[7] = 2; }, SegmentFault::magic},
      {"major", [](auto& h) { h.major = 2; }, SegmentFault::unsupported_major},
      {"header_size", [](auto& h) { h.header_size = 0x1000; }, SegmentFault::header_layout},
      {"total_size", [](auto& h) { h.total_size += 8; }, SegmentFault::header_layout},
      {"ring_off", [](auto& h) { h.ring_off = 0; }, SegmentFault::header_layout},
      {"ring_size", [](auto& h) { h.ring_size = 4095; }, SegmentFault::header_layout},
      {"ring too large", [](auto& h) { h.ring_size = 1U << 20U; }, SegmentFault::header_layout},
      {"slot_off", [](auto& h) { h.slot_off = 0; }, SegmentFault::header_layout},
      {"slot_stride", [](auto& h) { h.slot_stride = 1; }, SegmentFault::header_layout},
      {"slot_count", [](auto& h) { h.slot_count = 5; }, SegmentFault::header_layout},
      {"event_max", [](auto& h) { h.event_max = 513; }, SegmentFault::header_layout},
      {"fbs_id", [](auto& h) { h.fbs_id = 0; }, SegmentFault::header_layout},
  };
  for (const auto& one : cases) {
    INFO(one.what);
    HandMadeSegment segment;
    auto header = segment.header();
    one.spoil(header);
    segment.set_header(header);
    CHECK(judge(segment).fault == one.fault);
  }
}

TEST_CASE("any changed byte under the header's CRC is refused") {
  for (std::size_t at = 0; at < 0x68; ++at) {
    HandMadeSegment segment;
    segment.bytes()[at] ^= std::byte{0x10};
    INFO("byte " << at);
    CHECK_FALSE(judge(segment).ok());
  }
}

TEST_CASE("a newer minor version is read, a file of another size or a short page is not") {
  HandMadeSegment segment;
  auto header = segment.header();
  header.minor = 9;
  segment.set_header(header);
  CHECK(judge(segment).ok());
  CHECK(judge_page(segment.page(), {segment.bytes().size() - 1, 0}).fault ==
        SegmentFault::header_layout);
  CHECK(judge_page(segment.page().first(4095), {segment.bytes().size(), 0}).fault ==
        SegmentFault::short_read);
  CHECK(judge_page({}, {0, 0}).fault == SegmentFault::short_read);
}

TEST_CASE("the newest whole value wins, whatever `latest` says") {
  HandMadeSegment segment;
  for (std::uint64_t seq = 1; seq <= 6; ++seq)
    segment.set_slot(seq, sample_of(static_cast<std::int64_t>(seq)));
  segment.put(0x108, std::uint64_t{2});
  const auto page = judge(segment).page;
  CHECK(page.seq == 6);
  REQUIRE(page.sample);
  CHECK(page.sample->completed == 6);
  CHECK(page.torn_slots == 0);
}

TEST_CASE("nothing newer than what was seen is no news") {
  HandMadeSegment segment;
  segment.set_slot(5, sample_of(5));
  CHECK(judge(segment, 4).page.seq == 5);
  CHECK(judge(segment, 5).page.seq == 0);
  CHECK_FALSE(judge(segment, 5).page.sample);
}

TEST_CASE("a slot being written, torn, misplaced or too long yields to the value before") {
  HandMadeSegment segment;
  segment.set_slot(4, sample_of(4));
  const auto at = segment.set_slot(5, sample_of(5));
  SECTION("odd version") {
    segment.put(at, std::uint64_t{9});
  }
  SECTION("torn payload") {
    segment.bytes()[at + 40] ^= std::byte{1};
  }
  SECTION("old payload under a new version") {
    segment.put(at, std::uint64_t{2 * 9});
  }
  SECTION("at another sequence's place") {
    segment.put(at, std::uint64_t{2 * 6});
  }
  SECTION("length over the slot") {
    segment.put(at + 8, std::uint32_t{497});
  }
  SECTION("length beyond the page") {
    segment.put(at + 8, std::uint32_t{0xFFFFFFFF});
  }
  const auto page = judge(segment).page;
  CHECK(page.seq == 4);
  REQUIRE(page.sample);
  CHECK(page.sample->completed == 4);
}

TEST_CASE("a value that is whole but no sample is a producer's fault, not a crash") {
  HandMadeSegment segment;
  segment.set_slot(1, sample_of(1));
  segment.set_slot(2, "these bytes are no flatbuffer at all");
  const auto page = judge(segment).page;
  CHECK(page.payload_fault == SegmentFault::sample_payload);
  CHECK(page.seq == 1);
}

TEST_CASE("a terminal record is absent, being written, whole, or not to be trusted") {
  HandMadeSegment segment;
  segment.set_terminal(terminal_of(Outcome::durable));
  SECTION("whole") {
    const auto page = judge(segment).page;
    CHECK(page.terminal_state == TerminalSlotState::whole);
    REQUIRE(page.terminal);
    CHECK(page.terminal->outcome == Outcome::durable);
    CHECK(page.terminal->stored_as == "snap");
  }
  SECTION("being written") {
    segment.put(0xC00, std::uint64_t{1});
    CHECK(judge(segment).page.terminal_state == TerminalSlotState::being_written);
    CHECK_FALSE(judge(segment).page.terminal);
  }
  SECTION("torn") {
    segment.bytes()[0xC20] ^= std::byte{1};
    CHECK(judge(segment).page.terminal_state == TerminalSlotState::unverified);
    CHECK_FALSE(judge(segment).page.terminal);
  }
  SECTION("a version that cannot be") {
    segment.put(0xC00, std::uint64_t{4});
    CHECK(judge(segment).page.terminal_state == TerminalSlotState::unverified);
  }
  SECTION("length over the slot") {
    segment.put(0xC08, std::uint32_t{1009});
    CHECK_FALSE(judge(segment).page.terminal);
  }
  SECTION("whole, but no terminal record") {
    segment.set_terminal("garbage garbage garbage");
    CHECK(judge(segment).page.payload_fault == SegmentFault::terminal_payload);
    CHECK_FALSE(judge(segment).page.terminal);
  }
}

TEST_CASE("an outcome of a newer version is kept, and is not known") {
  HandMadeSegment segment;
  segment.set_terminal(terminal_of(static_cast<Outcome>(9)));
  const auto page = judge(segment).page;
  REQUIRE(page.terminal);
  CHECK(page.terminal->outcome != Outcome::durable);
}

TEST_CASE("an identity is read once it verifies, and refused otherwise") {
  HandMadeSegment segment;
  CHECK(judge_identity(segment.identity()).identity.backup == "nightly");
  CHECK(judge_identity(segment.identity().first(4095)).fault == SegmentFault::short_read);
  SECTION("length") {
    segment.put(0x1000, std::uint32_t{4089});
    CHECK(judge_identity(segment.identity()).fault == SegmentFault::identity_crc);
  }
  SECTION("CRC") {
    segment.bytes()[0x1010] ^= std::byte{1};
    CHECK(judge_identity(segment.identity()).fault == SegmentFault::identity_crc);
  }
  SECTION("payload") {
    segment.set_identity("no flatbuffer, though the CRC is right");
    CHECK(judge_identity(segment.identity()).fault == SegmentFault::identity_payload);
  }
}

TEST_CASE("segment file names are 24 lower-case hex digits and .seg, nothing else") {
  const SegmentId id = id_from_hex<SegmentId>("00112233445566778899aabbccddeeff").value();
  CHECK(segment_file_name(id) == "00112233445566778899aabb.seg");
  CHECK(is_segment_file_name("00112233445566778899aabb.seg"));
  CHECK(is_unfinished_file_name("00112233445566778899aabb.tmp"));
  for (const char* name : {"00112233445566778899AABB.seg", "00112233445566778899aab.seg", ".seg",
                           "00112233445566778899aabbc.seg", "../2233445566778899aabb.seg", "",
                           "00112233445566778899aabb.tmp", "00112233445566778899aabb.segx"})
    CHECK_FALSE(is_segment_file_name(name));
}

TEST_CASE("a fault reads as an error that tells corrupt from unsupported") {
  CHECK(error_of(SegmentFault::unsupported_major, "'x.seg'").code == ErrorCode::unsupported);
  const auto error = error_of(SegmentFault::header_crc, "'x.seg'");
  CHECK(error.code == ErrorCode::corrupt);
  CHECK(error.message == "read segment 'x.seg': corrupt (header_crc)");
}
