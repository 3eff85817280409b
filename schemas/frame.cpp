// frame.cpp - framing of the uplink.
#include "schemas/frame.hpp"

#include "schemas/codec.hpp"
#include "schemas/crc32c.hpp"

namespace plimsoll {
namespace {

void put_u32(std::string& to, std::uint32_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8)
    to += static_cast<char>(static_cast<unsigned char>(value >> shift));
}

std::uint32_t u32_at(const std::string& from, std::size_t at) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i)
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(from[at + i])) << (8 * i);
  return value;
}

std::uint32_t checksum(std::string_view table) {
  return crc32c(std::as_bytes(std::span(table.data(), table.size())));
}

}  // namespace

std::string frame(std::string_view table) {
  PLIMSOLL_CHECK(!table.empty() && table.size() <= kMaxFrameTableBytes);
  std::string bytes;
  bytes.reserve(kFrameHeaderBytes + table.size());
  put_u32(bytes, static_cast<std::uint32_t>(table.size()));
  put_u32(bytes, checksum(table));
  bytes += table;
  return bytes;
}

void FrameDecoder::push(std::string_view bytes) {
  if (start_ > 0) {
    buffer_.erase(0, start_);
    start_ = 0;
  }
  buffer_ += bytes;
}

Result<std::optional<std::string>> FrameDecoder::next() {
  if (dead_) return fail(ErrorCode::corrupt, "uplink frame: the stream is already broken");
  if (buffer_.size() - start_ < kFrameHeaderBytes) return std::nullopt;
  const std::uint32_t length = u32_at(buffer_, start_);
  if (length == 0 || length > kMaxFrameTableBytes) {
    dead_ = true;
    return fail(ErrorCode::corrupt,
                "uplink frame: length " + std::to_string(length) + " is not in 1…262144");
  }
  if (buffer_.size() - start_ < kFrameHeaderBytes + length) return std::nullopt;
  std::string table = buffer_.substr(start_ + kFrameHeaderBytes, length);
  if (checksum(table) != u32_at(buffer_, start_ + 4)) {
    dead_ = true;
    return fail(ErrorCode::corrupt, "uplink frame: wrong CRC");
  }
  start_ += kFrameHeaderBytes + length;
  return table;
}

}  // namespace plimsoll
