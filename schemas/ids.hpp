// ids.hpp - distinct types for the ids that must never be mixed up.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll {

// 128 random bits. Segments (an attempt's identity everywhere), boots, agents and stores have one
// each.
template <typename Tag>
struct Id128 {
  std::uint64_t lo = 0;  // bytes 0–7, little-endian
  std::uint64_t hi = 0;  // bytes 8–15

  auto operator<=>(const Id128&) const = default;
  [[nodiscard]] bool is_zero() const { return lo == 0 && hi == 0; }
};

using SegmentId = Id128<struct SegmentTag>;
using BootId = Id128<struct BootTag>;
using AgentId = Id128<struct AgentTag>;
using StoreId = Id128<struct StoreTag>;

using IdBytes = std::array<std::uint8_t, 16>;

namespace detail {
[[nodiscard]] std::string hex_of(std::uint64_t lo, std::uint64_t hi);
[[nodiscard]] bool parse_hex(std::string_view text, std::uint64_t& lo, std::uint64_t& hi);
}  // namespace detail

// 32 lower-case hex digits in byte order; the segment's file name is its first 24 + ".seg", an
// agent's upload id the first 16.
template <typename Tag>
[[nodiscard]] std::string to_hex(const Id128<Tag>& id) {
  return detail::hex_of(id.lo, id.hi);
}

// Exactly 32 hex digits, or nothing.
template <typename Id>
[[nodiscard]] std::optional<Id> id_from_hex(std::string_view text) {
  Id id;
  if (!detail::parse_hex(text, id.lo, id.hi)) return std::nullopt;
  return id;
}

template <typename Id>
[[nodiscard]] Id id_from_bytes(const IdBytes& bytes) {
  Id id;
  for (std::size_t i = 0; i < 8; ++i) {
    id.lo |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
    id.hi |= static_cast<std::uint64_t>(bytes[i + 8]) << (8 * i);
  }
  return id;
}

template <typename Tag>
[[nodiscard]] IdBytes bytes_of(const Id128<Tag>& id) {
  IdBytes bytes{};
  for (std::size_t i = 0; i < 8; ++i) {
    bytes[i] = static_cast<std::uint8_t>(id.lo >> (8 * i));
    bytes[i + 8] = static_cast<std::uint8_t>(id.hi >> (8 * i));
  }
  return bytes;
}

}  // namespace plimsoll

template <typename Tag>
struct std::hash<plimsoll::Id128<Tag>> {
  std::size_t operator()(const plimsoll::Id128<Tag>& id) const noexcept {
    return static_cast<std::size_t>(id.lo ^ (id.hi * 0x9E3779B97F4A7C15ULL));
  }
};
