// frame_test.cpp - the byte stream of the uplink: any cut gives the same frames, any lie ends it.
#include "schemas/frame.hpp"

#include <rapidcheck/catch.h>
#include <catch2/catch.hpp>

using namespace plimsoll;

namespace {

std::vector<std::string> drain(FrameDecoder& decoder) {
  std::vector<std::string> tables;
  for (;;) {
    auto next = decoder.next();
    REQUIRE(next);
    if (!*next) return tables;
    tables.push_back(**next);
  }
}

}  // namespace

TEST_CASE("frames survive any cutting of their stream") {
  rc::prop("pieces do not matter", [] {
    const auto tables = *rc::gen::container<std::vector<std::string>>(
        rc::gen::nonEmpty(rc::gen::arbitrary<std::string>()));
    std::string stream;
    for (const auto& table : tables)
      stream += frame(table);
    FrameDecoder decoder;
    std::vector<std::string> got;
    while (!stream.empty()) {
      const auto size = *rc::gen::inRange<std::size_t>(1, stream.size() + 1);
      decoder.push(stream.substr(0, size));
      stream.erase(0, size);
      for (auto& table : drain(decoder))
        got.push_back(std::move(table));
    }
    RC_ASSERT(got == tables);
  });
}

TEST_CASE("every prefix of a frame is waited for, never given out") {
  const auto bytes = frame("hello");
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    FrameDecoder decoder;
    decoder.push(std::string_view(bytes).substr(0, cut));
    CHECK(drain(decoder).empty());
  }
}

TEST_CASE("a length of zero is a protocol error, and the stream stays dead") {
  FrameDecoder decoder;
  decoder.push(std::string(8, '\0'));
  CHECK(decoder.next().error().code == ErrorCode::corrupt);
  decoder.push(frame("fine"));
  CHECK(decoder.next().error().code == ErrorCode::corrupt);
}

TEST_CASE("a giant length is refused before anything is allocated for it") {
  FrameDecoder decoder;
  decoder.push(std::string("\xFF\xFF\xFF\x7F\0\0\0\0", 8));
  CHECK(decoder.next().error().code == ErrorCode::corrupt);
}

TEST_CASE("one flipped bit anywhere in the table is noticed") {
  for (std::size_t at = kFrameHeaderBytes; at < frame("hello").size(); ++at) {
    auto bytes = frame("hello");
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    FrameDecoder decoder;
    decoder.push(bytes);
    CHECK(decoder.next().error().code == ErrorCode::corrupt);
  }
}

TEST_CASE("a table of the largest size passes") {
  const std::string table(kMaxFrameTableBytes, 'x');
  FrameDecoder decoder;
  decoder.push(frame(table));
  CHECK(drain(decoder) == std::vector<std::string>{table});
}
