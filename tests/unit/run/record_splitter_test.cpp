// record_splitter_test.cpp - records come out the same however the bytes come in.
#include "shim/run/record_splitter.hpp"

#include <rapidcheck/catch.h>
#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace plimsoll {

namespace {

std::vector<std::string> split(const std::string& bytes, std::size_t piece,
                               std::size_t bound = kMaxRecordBytes) {
  RecordSplitter splitter(bound);
  std::vector<std::string> records;
  const auto take = [&](const Record& record) { records.emplace_back(record.text); };
  for (std::size_t at = 0; at < bytes.size(); at += piece)
    splitter.feed(std::string_view(bytes).substr(at, piece), take);
  splitter.finish(take);
  return records;
}

using Records = std::vector<std::string>;

}  // namespace

TEST_CASE("newlines and carriage returns before, after and around a record all part it") {
  for (const std::size_t piece : {1u, 2u, 7u, 4096u}) {
    CHECK(split("a\nb\n", piece) == Records{"a", "b"});
    CHECK(split("a\rb\r", piece) == Records{"a", "b"});
    CHECK(split("\ra\rb", piece) == Records{"a", "b"});
    CHECK(split("\r\na\r\n\n\rb", piece) == Records{"a", "b"});
    CHECK(split("glued", piece) == Records{"glued"});
    CHECK(split("\r\n\n\r", piece).empty());
  }
}

TEST_CASE("escape sequences are taken out of a record, also when they arrive in pieces") {
  for (const std::size_t piece : {1u, 3u, 4096u}) {
    CHECK(split("\r\x1b[2K{}\r\n", piece) == Records{"{}"});
    CHECK(split("\x1b[1;31mred\x1b[0m\n", piece) == Records{"red"});
    CHECK(split("\x1b[2K\n", piece).empty());
    CHECK(split("a\x1b[12", piece) == Records{"a"});
    CHECK(split("\x1bOx\n", piece) == Records{"\x1bOx"});
  }
}

TEST_CASE("a record over the bound is cut, counted, and the next one is whole again") {
  RecordSplitter splitter(8);
  std::vector<Record> seen;
  std::vector<std::string> texts;
  const auto take = [&](const Record& record) {
    seen.push_back(record);
    texts.emplace_back(record.text);
  };
  for (int piece = 0; piece < 4; ++piece)
    splitter.feed("abcdef", take);
  CHECK(splitter.held_bytes() == 8);
  splitter.feed("\nnext\nlong enough\n", take);
  CHECK(texts == Records{"abcdefab", "next", "long eno"});
  CHECK(seen[0].truncated);
  CHECK_FALSE(seen[1].truncated);
  CHECK(seen[2].truncated);
  CHECK(splitter.truncated_records() == 2);
}

TEST_CASE("sixteen MiB without a separator are held as one bounded beginning") {
  RecordSplitter splitter;
  const std::string block(1 << 20, 'x');
  const auto take = [](const Record&) { FAIL("no record has ended"); };
  for (int mib = 0; mib < 16; ++mib)
    splitter.feed(block, take);
  CHECK(splitter.held_bytes() == kMaxRecordBytes);
}

TEST_CASE("any bytes in any pieces give the records of the whole") {
  rc::prop("piecewise equals whole", [] {
    const auto bytes = *rc::gen::container<std::string>(
        rc::gen::elementOf(std::string("ab{}\"\r\n\x1b[2K0m;\xff")));
    const auto piece = *rc::gen::inRange<std::size_t>(1, 9);
    const auto bound = *rc::gen::inRange<std::size_t>(1, 12);
    RC_ASSERT(split(bytes, piece, bound) == split(bytes, bytes.size() + 1, bound));
  });
}

}  // namespace plimsoll
