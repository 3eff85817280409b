// crc32c.cpp - three ways to the same CRC-32C: SSE4.2, ARMv8 CRC, eight tables.
#include "schemas/crc32c.hpp"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__ARM_FEATURE_CRC32)  // part of the architecture from ARMv8.1 on
#include <arm_acle.h>
#endif

namespace plimsoll {
namespace {

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit)
      value = (value >> 1U) ^ ((value & 1U) * 0x82F63B78U);
    tables[0][byte] = value;
  }
  for (std::size_t row = 1; row < 8; ++row)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[row - 1][byte];
      tables[row][byte] = (before >> 8U) ^ tables[0][before & 0xFFU];
    }
  return tables;
}

constexpr Tables kTables = make_tables();

std::uint64_t word_at(const std::byte* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t crc32c_by_processor(
    std::span<const std::byte> bytes, std::uint32_t seed) {
  std::uint64_t state = seed;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8)
    state = _mm_crc32_u64(state, word_at(bytes.data() + at));
  auto narrow = static_cast<std::uint32_t>(state);
  for (; at < bytes.size(); ++at)
    narrow = _mm_crc32_u8(narrow, std::to_integer<unsigned char>(bytes[at]));
  return ~narrow;
}

bool processor_can() {
  return __builtin_cpu_supports("sse4.2");
}
#elif defined(__ARM_FEATURE_CRC32)
std::uint32_t crc32c_by_processor(std::span<const std::byte> bytes, std::uint32_t seed) {
  std::uint32_t state = seed;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8)
    state = __crc32cd(state, word_at(bytes.data() + at));
  for (; at < bytes.size(); ++at)
    state = __crc32cb(state, std::to_integer<unsigned char>(bytes[at]));
  return ~state;
}

bool processor_can() {
  return true;
}
#else
std::uint32_t crc32c_by_processor(std::span<const std::byte> bytes, std::uint32_t seed) {
  return crc32c_by_table(bytes, seed);
}

bool processor_can() {
  return false;
}
#endif

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t seed) {
  return processor_can() ? crc32c_by_processor(bytes, seed) : crc32c_by_table(bytes, seed);
}

std::uint32_t crc32c_by_table(std::span<const std::byte> bytes, std::uint32_t seed) {
  std::uint32_t state = seed;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    const std::uint64_t mixed = word_at(bytes.data() + at) ^ state;
    state = 0;
    for (std::size_t i = 0; i < 8; ++i)
      state ^= kTables[7 - i][(mixed >> (8 * i)) & 0xFFU];
  }
  for (; at < bytes.size(); ++at)
    state = (state >> 8U) ^ kTables[0][(state ^ std::to_integer<std::uint32_t>(bytes[at])) & 0xFFU];
  return ~state;
}

}  // namespace plimsoll
