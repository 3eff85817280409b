// mutant.hpp - bugs planted on purpose. A simulation that does not catch them proves nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace plimsoll::sim {

enum class Mutant : std::uint8_t {
  none,
  ack_before_commit,      // the store says "committed" and writes later
  full_bytes_is_durable,  // 100 % reads as success
  vanished_is_durable,    // a lock that went free without a result reads as success
  cancel_not_written,     // the cancel byte is reported written, and is not
  writes_out_of_order,    // a row of an older commit is written again after a newer one
};

struct MutantRow {
  Mutant mutant;
  std::string_view name;
  std::string_view law;  // that must catch it
};

inline constexpr std::array kMutants = {
    MutantRow{Mutant::ack_before_commit, "ack-before-commit", "S5"},
    MutantRow{Mutant::full_bytes_is_durable, "full-bytes-is-durable", "S1"},
    MutantRow{Mutant::vanished_is_durable, "vanished-is-durable", "S1"},
    MutantRow{Mutant::cancel_not_written, "cancel-not-written", "S8"},
    MutantRow{Mutant::writes_out_of_order, "writes-out-of-order", "S2"},
};

constexpr std::optional<Mutant> mutant_of(std::string_view name) {
  for (const auto& row : kMutants)
    if (row.name == name) return row.mutant;
  return std::nullopt;
}

}  // namespace plimsoll::sim
