// words_test.cpp - names, texts, ids, codes and states: each word has one spelling and a way back.
#include <set>

#include <rapidcheck/catch.h>
#include <catch2/catch.hpp>

#include "schemas/backup_phase.hpp"
#include "schemas/error_codes.hpp"
#include "schemas/ids.hpp"
#include "schemas/names.hpp"
#include "schemas/text.hpp"
#include "schemas/text_bounds.hpp"
#include "schemas/upload_state.hpp"

using namespace plimsoll;

TEST_CASE("every error code has one row and one word") {
  std::set<std::string_view> words;
  std::set<int> numbers;
  for (const auto& row : kErrorCodes) {
    words.insert(row.word);
    numbers.insert(static_cast<int>(row.code));
    CHECK(info(row.code).word == row.word);
    CHECK(row.http_status >= 400);
  }
  CHECK(words.size() == kErrorCodes.size());
  CHECK(numbers.size() == kErrorCodes.size());
}

TEST_CASE("every phase and state word leads back to its value") {
  for (const auto& row : kBackupPhases)
    CHECK(backup_phase_from_word(row.word) == row.phase);
  for (const auto& row : kUploadStates)
    CHECK(upload_state_from_word(row.word) == row.state);
  CHECK_FALSE(backup_phase_from_word("completed"));
  CHECK(is_terminal(BackupPhase::partially_failed));
  CHECK_FALSE(is_terminal(BackupPhase::uploading_partial_failure));
}

TEST_CASE("an outcome that is not known never reads as Completed") {
  for (int number = 0; number < 256; ++number) {
    const auto outcome = static_cast<Outcome>(number);
    CHECK((state_of(outcome) == UploadState::completed) == (outcome == Outcome::durable));
  }
}

TEST_CASE("backup names are DNS-1123 subdomains") {
  for (const auto* good : {"nightly", "n", "a.b-c.d", "20261201"})
    CHECK(check_backup_name(good));
  for (const auto* bad : {"", "Nightly", "a..b", "-a", "a-", "a_b", "a/b", "../x", "a b", "\xff"})
    CHECK(check_backup_name(bad).error().code == ErrorCode::bad_request);
  CHECK_FALSE(check_backup_name(std::string(254, 'a')).has_value());
}

TEST_CASE("items are RESOURCE/NAMESPACE/NAME or RESOURCE/NAME") {
  const auto item = parse_item("persistentvolumeclaims/shop/data-0");
  REQUIRE(item);
  CHECK(item->resource == "persistentvolumeclaims");
  CHECK(item->name_space == "shop");
  CHECK(item->name == "data-0");
  CHECK(parse_item("volumes.storage.example/v1")->name_space.empty());
  for (const auto* bad : {"", "x", "/x", "x/", "a/b/c/d", "a//b", "a/..", "a/b\n", "a/\x1b[31m"})
    CHECK(parse_item(bad).error().code == ErrorCode::bad_request);
  CHECK_FALSE(parse_item("a/" + std::string(kMaxItemBytes, 'x')).has_value());
}

TEST_CASE("an identity is refused for each field that is out of bounds, by name") {
  Identity identity;
  CHECK(check_identity(identity));
  identity.part = "a b";
  CHECK(check_identity(identity).error().field == "part");
  identity = {};
  identity.volume_id = std::string(kMaxVolumeIdBytes + 1, 'v');
  CHECK(check_identity(identity).error().field == "volumeID");
  identity = {};
  identity.snapshot_id = "snap\x1b]0;evil\x07";
  CHECK(check_identity(identity).error().field == "snapshotID");
  identity = {};
  identity.labels.assign(kMaxLabels + 1, "a=b");
  CHECK(check_identity(identity).error().field == "labels");
}

TEST_CASE("escaped text is one printable line, and escaping it again changes nothing") {
  CHECK(escape_text("a\nb\x1b[31m\x7f") == "a\\u{a}b\\u{1b}[31m\\u{7f}");
  CHECK(escape_text("\xE2\x80\xAE") == "\\u{202e}");
  CHECK(escape_text("caf\xC3\xA9") == "caf\xC3\xA9");
  rc::prop("idempotent and valid", [](const std::string& text) {
    const auto once = escape_text(text);
    RC_ASSERT(is_valid_utf8(once));
    RC_ASSERT(once.find('\n') == std::string::npos);
    RC_ASSERT(escape_text(once) == once);
  });
}

TEST_CASE("UTF-8 is strict") {
  CHECK(is_valid_utf8("\xF0\x9F\x9A\xA2"));
  for (const auto* bad : {"\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80", "\xE2\x82"})
    CHECK_FALSE(is_valid_utf8(bad));
}

TEST_CASE("ids read back from their hex, and only from 32 digits") {
  rc::prop("hex round trip", [](std::uint64_t lo, std::uint64_t hi) {
    const SegmentId id{lo, hi};
    RC_ASSERT(id_from_hex<SegmentId>(to_hex(id)) == id);
    RC_ASSERT(id_from_bytes<SegmentId>(bytes_of(id)) == id);
  });
  CHECK(to_hex(SegmentId{0x0706050403020100ULL, 0x0f0e0d0c0b0a0908ULL}) ==
        "000102030405060708090a0b0c0d0e0f");
  CHECK_FALSE(id_from_hex<SegmentId>("00"));
  CHECK_FALSE(id_from_hex<SegmentId>("g00102030405060708090a0b0c0d0e0f"));
}
