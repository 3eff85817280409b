// crc32c_test.cpp - the vectors of RFC 3720 B.4, seeds, and that the processor and the tables
// agree.
#include <catch2/catch.hpp>

#include <rapidcheck/catch.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "schemas/crc32c.hpp"

using plimsoll::crc32c;
using plimsoll::crc32c_by_table;

namespace {

std::span<const std::byte> bytes_of(const std::vector<std::uint8_t>& bytes) {
  return std::as_bytes(std::span(bytes));
}

struct Vector {
  std::vector<std::uint8_t> bytes;
  std::uint32_t crc;
};

std::vector<std::uint8_t> ascending() {
  std::vector<std::uint8_t> bytes(32);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::uint8_t>(i);
  return bytes;
}

std::vector<std::uint8_t> descending() {
  auto bytes = ascending();
  std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

std::vector<std::uint8_t> scsi_read_command() {
  std::vector<std::uint8_t> bytes(48, 0);
  bytes[0] = 0x01;
  bytes[1] = 0xC0;
  bytes[16] = 0x14;
  bytes[22] = 0x04;
  bytes[27] = 0x14;
  bytes[31] = 0x18;
  bytes[32] = 0x28;
  bytes[40] = 0x02;
  return bytes;
}

const std::vector<Vector>& rfc3720_vectors() {
  static const std::vector<Vector> vectors = {
      {std::vector<std::uint8_t>(32, 0x00), 0x8A9136AA},
      {std::vector<std::uint8_t>(32, 0xFF), 0x62A8AB43},
      {ascending(), 0x46DD794E},
      {descending(), 0x113FDB5C},
      {scsi_read_command(), 0xD9963A56},
      {{'1', '2', '3', '4', '5', '6', '7', '8', '9'}, 0xE3069283},
      {{}, 0x00000000},
  };
  return vectors;
}

}  // namespace

TEST_CASE("crc32c gives the check values of RFC 3720") {
  for (const auto& vector : rfc3720_vectors()) {
    CHECK(crc32c(bytes_of(vector.bytes)) == vector.crc);
    CHECK(crc32c_by_table(bytes_of(vector.bytes)) == vector.crc);
  }
}

TEST_CASE("the seed is the register's start and the result its complement") {
  CHECK(crc32c({}, 0) == 0xFFFFFFFF);
  CHECK(crc32c({}, 7) == ~7U);
  const std::vector<std::uint8_t> zero = {0};
  CHECK(crc32c(bytes_of(zero), 0) == 0xFFFFFFFF);  // a zero register stays zero over zero bytes
  CHECK(crc32c(bytes_of(zero), 1) != crc32c(bytes_of(zero), 2));
}

TEST_CASE("a CRC continues where the complement of the one before left off") {
  const auto all = ascending();
  const auto first = bytes_of(all).first(13);
  CHECK(crc32c(bytes_of(all).subspan(13), ~crc32c(first)) == crc32c(bytes_of(all)));
}

TEST_CASE("the processor and the tables agree on any bytes, length, alignment and seed") {
  rc::prop("crc32c == crc32c_by_table",
           [](const std::vector<std::uint8_t>& bytes, std::uint32_t seed) {
             const auto skipped = std::min<std::size_t>(bytes.size(), seed % 8);
             const auto tail = bytes_of(bytes).subspan(skipped);
             RC_ASSERT(crc32c(tail, seed) == crc32c_by_table(tail, seed));
           });
}
