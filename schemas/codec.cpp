// codec.cpp - one table per buffer, file identifier "PLM1" checked by hand (these tables are no
// roots).
#include "schemas/codec.hpp"

#include "schemas/progress_tables.hpp"

namespace plimsoll {
namespace {

constexpr char kFileIdentifier[] = "PLM1";
constexpr flatbuffers::uoffset_t kMaxDepth = 8;
constexpr flatbuffers::uoffset_t kMaxTables = 16;
constexpr std::size_t kMaxPayloadBytes = 4096;  // more than any of the four may take in a segment

template <typename Value>
std::string encode_root(const Value& value) {
  flatbuffers::FlatBufferBuilder builder(1024);
  builder.Finish(tables::put(builder, value), kFileIdentifier);
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

template <typename Table>
auto decode_root(Bytes bytes, std::string_view what)
    -> decltype(tables::take(std::declval<const Table&>())) {
  if (bytes.size() < 8 || bytes.size() > kMaxPayloadBytes)
    return fail(ErrorCode::corrupt, "decode " + std::string(what) + ": bad length");
  std::vector<std::uint64_t> aligned((bytes.size() + 7) / 8);
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
  const auto* data = reinterpret_cast<const std::uint8_t*>(aligned.data());
  flatbuffers::Verifier verifier(data, bytes.size(), kMaxDepth, kMaxTables);
  if (!verifier.VerifyBuffer<Table>(kFileIdentifier))
    return fail(ErrorCode::corrupt, "decode " + std::string(what) + ": does not verify");
  return tables::take(*flatbuffers::GetRoot<Table>(data));
}

}  // namespace

std::string encode(const Identity& identity) {
  return encode_root(identity);
}
std::string encode(const Sample& sample) {
  return encode_root(sample);
}
std::string encode(const UploadEvent& event) {
  return encode_root(event);
}
std::string encode(const Terminal& terminal) {
  return encode_root(terminal);
}

Result<Identity> decode_identity(Bytes bytes) {
  return decode_root<fbs::Identity>(bytes, "identity");
}
Result<Sample> decode_sample(Bytes bytes) {
  return decode_root<fbs::Sample>(bytes, "sample");
}
Result<UploadEvent> decode_event(Bytes bytes) {
  return decode_root<fbs::Event>(bytes, "event");
}
Result<Terminal> decode_terminal(Bytes bytes) {
  return decode_root<fbs::Terminal>(bytes, "terminal");
}

}  // namespace plimsoll
