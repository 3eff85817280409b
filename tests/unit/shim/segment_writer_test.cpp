// segment_writer_test.cpp - what the writer writes, byte for byte, and what the reader makes of it.
#include <catch2/catch.hpp>

#include <rapidcheck/catch.h>

#include <cstring>
#include <string>
#include <vector>

#include "schemas/codec.hpp"
#include "schemas/segment_layout.hpp"
#include "schemas/segment_page.hpp"
#include "schemas/text_bounds.hpp"
#include "shim/segment_format.hpp"
#include "shim/segment_writer.hpp"

using namespace plimsoll;

namespace {

// A segment in plain memory.
class Memory {
 public:
  explicit Memory(std::size_t ring_bytes = layout::kMinRingBytes,
                  const std::string& identity = encode(Identity{}))
      : words_(segment_bytes(ring_bytes) / 8) {
    SegmentBirth birth;
    birth.segment = {0x1122334455667788, 0x99AABBCCDDEEFF00};
    birth.boot = {1, 2};
    birth.start_boottime_ns = 3;
    birth.pidns_ino = 4;
    birth.pid = 5;
    birth.made_by_run = true;
    format_segment(bytes(), birth, bytes_of_text(identity));
    writer = SegmentWriter(bytes());
  }
  [[nodiscard]] std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(words_)); }
  [[nodiscard]] std::string hex(std::size_t offset, std::size_t size) {
    static const char* digits = "0123456789abcdef";
    std::string text;
    for (const auto byte : bytes().subspan(offset, size)) {
      text += digits[std::to_integer<unsigned>(byte) >> 4U];
      text += digits[std::to_integer<unsigned>(byte) & 15U];
    }
    return text;
  }
  [[nodiscard]] HotPage page(std::uint64_t seen_seq = 0) {
    const auto verdict =
        judge_page(bytes().first(layout::kHotPageBytes), {bytes().size(), seen_seq});
    REQUIRE(verdict.ok());
    return verdict.page;
  }
  [[nodiscard]] RingNews news(std::uint64_t cursor) {
    const auto marks = page().marks;
    return read_ring(bytes().subspan(layout::kRingOffset), {marks, marks, cursor});
  }

  SegmentWriter writer;

 private:
  std::vector<std::uint64_t> words_;
};

std::string event_of(const std::string& text) {
  return encode(UploadEvent{Severity::info, text, 0});
}

Sample sample_of(std::int64_t completed) {
  Sample sample;
  sample.completed = completed;
  return sample;
}

}  // namespace

TEST_CASE("golden bytes: a header of major 1") {
  Memory memory(8192);
  CHECK(memory.hex(0x00, 16) == "504c494d53484d010100000000200000");
  CHECK(memory.hex(0x10, 16) == "00400000002000000020000000040000");
  CHECK(memory.hex(0x20, 16) == "000200000400000000020000504c4d31");
  CHECK(memory.hex(0x30, 16) == "01000000000000000200000000000000");
  CHECK(memory.hex(0x40, 16) == "03000000000000000400000000000000");
  CHECK(memory.hex(0x50, 16) == "05000000887766554433221100ffeedd");
  CHECK(memory.hex(0x60, 4) == "ccbbaa99");
  CHECK(memory.hex(0x64, 4) == "5aa38208");
  CHECK(memory.hex(0x68, 0x98) == std::string(2 * 0x98, '0'));
  CHECK(memory.hex(0x110, 8) == "0100000000000000");
}

TEST_CASE("golden bytes: a value, an event and a terminal record") {
  Memory memory;
  const std::string payload = "0123456789";
  memory.writer.write_value(bytes_of_text(payload));
  CHECK(memory.hex(0x600, 32) ==
        "02000000000000000a000000af7278ff30313233343536373839000000000000");
  CHECK(memory.hex(0x100, 16) == "01000000000000000100000000000000");
  REQUIRE(memory.writer.write_event(bytes_of_text(payload)));
  REQUIRE(memory.writer.write_event(bytes_of_text(payload)));
  CHECK(memory.hex(0x2020, 32) ==
        "0a000000c3d3a92a200000000000000030313233343536373839000000000000");
  CHECK(memory.hex(0x140, 32) ==
        "4000000000000000400000000000000020000000000000000000000000000000");
  memory.writer.write_terminal(bytes_of_text(payload));
  CHECK(memory.hex(0xC00, 32) ==
        "02000000000000000a000000af7278ff30313233343536373839000000000000");
}

TEST_CASE("values, beats, events, end and identity come back as they went in") {
  Identity identity;
  identity.backup = "nightly";
  identity.labels = {"team=storage"};
  Memory memory(layout::kMinRingBytes, encode(identity));
  for (int i = 1; i <= 9; ++i)
    memory.writer.write_value(bytes_of_text(encode(sample_of(i))));
  memory.writer.beat();
  REQUIRE(memory.writer.write_event(bytes_of_text(event_of("begun"))));
  Terminal terminal;
  terminal.outcome = Outcome::durable;
  terminal.completed = 9;
  memory.writer.write_terminal(bytes_of_text(encode(terminal)));
  const auto page = memory.page();
  CHECK(page.seq == 9);
  CHECK(page.latest == 9);
  CHECK(page.heartbeat == 10);
  CHECK(page.sample == sample_of(9));
  CHECK(page.terminal == terminal);
  CHECK(page.made_by_run);
  const auto news = memory.news(0);
  REQUIRE(news.events.size() == 1);
  CHECK(news.events[0].text == "begun");
  CHECK(judge_identity(memory.bytes().subspan(0x1000, 0x1000)).identity == identity);
}

TEST_CASE("the cancel byte is seen, and is the only byte the writer reads") {
  Memory memory;
  CHECK_FALSE(memory.writer.cancel_requested());
  memory.bytes()[layout::kCancelOffset] = std::byte{1};
  CHECK(memory.writer.cancel_requested());
  std::memset(memory.bytes().data() + 0x100, 0xFF,
              0x80);  // an agent gone mad changes no later write
  memory.writer.write_value(bytes_of_text(encode(sample_of(4))));
  CHECK(memory.page().seq == 1);
}

TEST_CASE("an event over 512 bytes is dropped and counted") {
  Memory memory;
  CHECK_FALSE(memory.writer.write_event(bytes_of_text(std::string(513, 'x'))));
  CHECK(memory.writer.write_event(bytes_of_text(std::string(512, 'x'))));
  CHECK(memory.page().marks.dropped_too_big == 1);
}

TEST_CASE("every table fits its place with each field at its bound") {
  const auto text = [](std::size_t bytes) { return std::string(bytes, 'x'); };
  Identity identity{text(kMaxBackupBytes),
                    text(kMaxUidBytes),
                    text(kMaxItemBytes),
                    text(kMaxSnapshotIdBytes),
                    text(kMaxVolumeIdBytes),
                    text(kMaxPartBytes),
                    1,
                    1,
                    text(kMaxUnitsBytes),
                    text(kMaxToolBytes),
                    text(kMaxToolBytes),
                    std::vector<std::string>(kMaxLabels, text(kMaxLabelBytes)),
                    1,
                    true};
  Sample sample{1, 2, 3, 4, 5, 6, 7, 8, Activity::waiting, text(kMaxDescriptionBytes)};
  UploadEvent event{Severity::error, text(kMaxEventTextBytes), 1};
  Terminal terminal{
      Outcome::failed, text(kMaxErrBytes), true, text(kMaxStoredAsBytes), 1, 2, 3, 4, 5};
  CHECK(encode(identity).size() <= layout::IdentityPage::kPayloadMax);
  CHECK(encode(sample).size() <= layout::Slot::kPayloadMax);
  CHECK(encode(event).size() <= layout::kEventMax);
  CHECK(encode(terminal).size() <= layout::TerminalSlot::kPayloadMax);
  Memory memory(layout::kMinRingBytes, encode(identity));
  memory.writer.write_value(bytes_of_text(encode(sample)));
  memory.writer.write_terminal(bytes_of_text(encode(terminal)));
  REQUIRE(memory.writer.write_event(bytes_of_text(encode(event))));
  CHECK(memory.page().sample == sample);
  CHECK(memory.page().terminal == terminal);
  CHECK(memory.news(0).events == std::vector<UploadEvent>{event});
  CHECK(judge_identity(memory.bytes().subspan(0x1000, 0x1000)).identity == identity);
}

TEST_CASE("a reader that keeps up misses no event, whatever their sizes") {
  rc::prop("all events, in order, over many laps", [] {
    Memory memory;
    std::uint64_t cursor = 0;
    const auto sizes = *rc::gen::container<std::vector<std::size_t>>(
        rc::gen::inRange<std::size_t>(0, kMaxEventTextBytes));
    for (const auto size : sizes) {
      const std::string text(size, 'e');
      RC_ASSERT(memory.writer.write_event(bytes_of_text(event_of(text))));
      auto news = memory.news(cursor);
      cursor = news.cursor;
      RC_ASSERT(news.events.size() == 1U);
      RC_ASSERT(news.events[0].text == text);
      RC_ASSERT(news.lost_events == 0U);
    }
  });
}

TEST_CASE("a lapped reader gets the newest event and knows that it lost some") {
  rc::prop("newest always, order always, losses counted", [] {
    Memory memory;
    std::uint64_t cursor = 0;
    int written = 0;
    int read = -1;
    const auto bursts = *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 200));
    for (const int burst : bursts) {
      for (int i = 0; i < burst; ++i)
        (void)memory.writer.write_event(bytes_of_text(event_of(std::to_string(written++))));
      const auto news = memory.news(cursor);
      cursor = news.cursor;
      RC_ASSERT(news.fault == SegmentFault::none);
      RC_ASSERT(!news.events.empty());
      for (const auto& event : news.events) {
        RC_ASSERT(std::stoi(event.text) > read);
        read = std::stoi(event.text);
      }
      RC_ASSERT(read == written - 1);
      RC_ASSERT((news.lost_events == 0U) == (static_cast<int>(news.events.size()) == burst));
    }
  });
}
