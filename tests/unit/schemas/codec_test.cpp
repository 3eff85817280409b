// codec_test.cpp - progress tables survive the round trip, and hostile bytes are refused.
#include "schemas/codec.hpp"

#include <rapidcheck/catch.h>
#include <catch2/catch.hpp>

#include "schemas/text.hpp"
#include "schemas/text_bounds.hpp"
#include "schemas/upload_state.hpp"

using namespace plimsoll;

namespace {

Identity full_identity() {
  Identity identity;
  identity.backup = std::string(kMaxBackupBytes, 'b');
  identity.backup_uid = std::string(kMaxUidBytes, 'u');
  identity.item = std::string(kMaxItemBytes, 'i');
  identity.snapshot_id = std::string(kMaxSnapshotIdBytes, 's');
  identity.volume_id = std::string(kMaxVolumeIdBytes, 'v');
  identity.part = std::string(kMaxPartBytes, 'p');
  identity.parts_total = 7;
  identity.attempt = 3;
  identity.units = std::string(kMaxUnitsBytes, 'n');
  identity.tool = std::string(kMaxToolBytes, 't');
  identity.tool_version = std::string(kMaxToolBytes, 'r');
  identity.labels.assign(kMaxLabels, "k=" + std::string(kMaxLabelBytes - 2, 'l'));
  identity.opened_unix_ms = 1764608460000;
  identity.auto_backup = true;
  return identity;
}

}  // namespace

TEST_CASE("an identity at every bound survives the round trip") {
  const auto identity = full_identity();
  const auto decoded = decode_identity(bytes_of_text(encode(identity)));
  REQUIRE(decoded);
  CHECK(*decoded == identity);
}

TEST_CASE("an identity that names nothing keeps its defaults") {
  const auto decoded = decode_identity(bytes_of_text(encode(Identity{})));
  REQUIRE(decoded);
  CHECK(*decoded == Identity{});
  CHECK(decoded->units == "bytes");
}

TEST_CASE("unknown numbers of a sample stay unknown") {
  const auto decoded = decode_sample(bytes_of_text(encode(Sample{})));
  REQUIRE(decoded);
  CHECK(decoded->read == -1);
  CHECK(decoded->total == 0);
}

TEST_CASE("every sample survives the round trip") {
  rc::prop("decode(encode(sample)) == sample", [] {
    Sample sample;
    sample.completed = *rc::gen::arbitrary<std::int64_t>();
    sample.total = *rc::gen::arbitrary<std::int64_t>();
    sample.read = *rc::gen::arbitrary<std::int64_t>();
    sample.sent = *rc::gen::arbitrary<std::int64_t>();
    sample.files_done = *rc::gen::arbitrary<std::int64_t>();
    sample.files_total = *rc::gen::arbitrary<std::int64_t>();
    sample.errors = *rc::gen::arbitrary<std::uint32_t>();
    sample.warnings = *rc::gen::arbitrary<std::uint32_t>();
    sample.activity = static_cast<Activity>(*rc::gen::inRange(0, 5));
    const auto decoded = decode_sample(bytes_of_text(encode(sample)));
    RC_ASSERT(decoded.has_value());
    RC_ASSERT(*decoded == sample);
  });
}

TEST_CASE("free texts are cut at a character, never in the middle of one") {
  UploadEvent event{Severity::error, std::string(kMaxEventTextBytes - 1, 'x') + "ü", 5};
  const auto decoded = decode_event(bytes_of_text(encode(event)));
  REQUIRE(decoded);
  CHECK(decoded->text == std::string(kMaxEventTextBytes - 1, 'x'));
}

TEST_CASE("a terminal keeps an outcome of a newer version, which proves nothing") {
  Terminal terminal;
  terminal.outcome = static_cast<Outcome>(9);
  const auto decoded = decode_terminal(bytes_of_text(encode(terminal)));
  REQUIRE(decoded);
  CHECK_FALSE(is_known(decoded->outcome));
  CHECK(decoded->outcome != Outcome::durable);
}

TEST_CASE("a table of one kind is no table of another") {
  const auto bytes = encode(UploadEvent{Severity::info, "hello", 1});
  CHECK_FALSE(decode_identity(bytes_of_text("PLM1")).has_value());
  CHECK_FALSE(decode_identity(bytes_of_text("")).has_value());
  auto other = bytes;
  other[4] = 'X';  // the file identifier
  CHECK(decode_event(bytes_of_text(other)).error().code == ErrorCode::corrupt);
}

TEST_CASE("no bytes at all make the decoders do worse than refuse") {
  rc::prop("mutated tables decode or are refused", [] {
    auto bytes = encode(full_identity());
    const auto flips = *rc::gen::inRange(1, 12);
    for (int i = 0; i < flips; ++i) {
      const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
      bytes[at] = *rc::gen::arbitrary<char>();
    }
    const auto cut = *rc::gen::inRange<std::size_t>(0, bytes.size() + 1);
    const auto view = bytes_of_text(bytes).first(cut);
    if (const auto decoded = decode_identity(view)) {
      RC_ASSERT(decoded->backup.size() <= kMaxBackupBytes);
      RC_ASSERT(is_valid_utf8(decoded->backup));
    }
    (void)decode_sample(view);
    (void)decode_event(view);
    (void)decode_terminal(view);
  });
}
