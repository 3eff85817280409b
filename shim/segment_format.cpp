// segment_format.cpp - fills in header, flags and identity, and their CRCs.
#include "shim/segment_format.hpp"

#include <cstring>

#include "schemas/crc32c.hpp"
#include "schemas/result.hpp"
#include "schemas/segment_layout.hpp"

namespace plimsoll {
namespace {

layout::Header header_of(const SegmentBirth& birth, std::size_t total_bytes) {
  layout::Header header{};
  header.magic = layout::kMagic;
  header.major = layout::kMajor;
  header.minor = layout::kMinor;
  header.header_size = layout::kRingOffset;
  header.total_size = static_cast<std::uint32_t>(total_bytes);
  header.ring_off = layout::kRingOffset;
  header.ring_size = static_cast<std::uint32_t>(total_bytes - layout::kRingOffset);
  header.slot_off = layout::kSlotOffset;
  header.slot_stride = layout::kSlotStride;
  header.slot_count = layout::kSlotCount;
  header.event_max = layout::kEventMax;
  header.fbs_id = layout::kFbsId;
  header.boot_id = bytes_of(birth.boot);
  header.start_boottime_ns = birth.start_boottime_ns;
  header.pidns_ino = birth.pidns_ino;
  header.pid = birth.pid;
  header.session = bytes_of(birth.segment);
  const auto bytes = std::as_bytes(std::span(&header, 1));
  header.crc = crc32c(bytes.first(layout::kHeaderCrcBytes), layout::kSeedStandard);
  return header;
}

}  // namespace

std::size_t segment_bytes(std::size_t ring_bytes) {
  return layout::kRingOffset + ring_bytes;
}

void format_segment(std::span<std::byte> segment, const SegmentBirth& birth,
                    std::span<const std::byte> identity) {
  PLIMSOLL_CHECK(segment.size() > layout::kRingOffset);
  PLIMSOLL_CHECK(layout::is_ring_size(segment.size() - layout::kRingOffset));
  PLIMSOLL_CHECK(identity.size() <= layout::IdentityPage::kPayloadMax);
  const auto header = header_of(birth, segment.size());
  std::memcpy(segment.data(), &header, sizeof header);
  layout::Live live{};
  live.flags = birth.made_by_run ? layout::kFlagRun : 0;
  std::memcpy(segment.data() + layout::kLiveOffset, &live, sizeof live);
  layout::IdentityPage page{};
  page.len = static_cast<std::uint32_t>(identity.size());
  page.crc = crc32c(identity, layout::kSeedStandard);
  std::memcpy(page.payload.data(), identity.data(), identity.size());
  std::memcpy(segment.data() + layout::kIdentityOffset, &page, sizeof page);
}

}  // namespace plimsoll
