// text_bounds.hpp - how long each text from outside may be, in bytes of valid UTF-8.
// Identity fields over their bound are refused; free texts are cut at a character.
#pragma once

#include <cstddef>

namespace plimsoll {

inline constexpr std::size_t kMaxBackupBytes = 253;
inline constexpr std::size_t kMaxUidBytes = 36;
inline constexpr std::size_t kMaxItemBytes = 640;
inline constexpr std::size_t kMaxSnapshotIdBytes = 256;
inline constexpr std::size_t kMaxVolumeIdBytes = 768;
inline constexpr std::size_t kMaxPartBytes = 63;
inline constexpr std::size_t kMaxUnitsBytes = 16;
inline constexpr std::size_t kMaxToolBytes = 32;
inline constexpr std::size_t kMaxLabels = 8;
inline constexpr std::size_t kMaxLabelBytes = 127;
inline constexpr std::size_t kMaxNodeBytes = 253;
inline constexpr std::size_t kMaxDomainBytes = 253;

inline constexpr std::size_t kMaxDescriptionBytes = 160;
inline constexpr std::size_t kMaxReasonBytes = 160;
inline constexpr std::size_t kMaxErrBytes = 512;
inline constexpr std::size_t kMaxEventTextBytes = 384;
inline constexpr std::size_t kMaxStoredAsBytes = 256;

inline constexpr std::size_t kMaxEventsPerReport = 8;

}  // namespace plimsoll
