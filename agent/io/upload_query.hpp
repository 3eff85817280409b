// upload_query.hpp - which uploads a client asked for. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/core/attempt_table.hpp"
#include "runtime/http/url.hpp"
#include "schemas/result.hpp"
#include "schemas/upload_document.hpp"

namespace plimsoll {

inline constexpr std::uint32_t kDefaultPage = 500;
inline constexpr std::uint32_t kMaxPage = 1000;

struct UploadQuery {
  std::optional<std::string> backup;  // name or UID
  std::optional<UploadState> state;
  std::optional<std::string> node;
  std::uint32_t limit = kDefaultPage;
  std::optional<SegmentId> after;  // `continue`: the place of the last one of the page before
  bool watch = false;
};

// bad_request: an unknown key or word, a number out of range, a `continue` that we did not give
// out.
[[nodiscard]] Result<UploadQuery> parse_upload_query(const QueryFields& fields);

[[nodiscard]] bool fits(const UploadQuery& query, const UploadDocument& upload);

// Every upload at its place in the listing: the lowest id among its segments, so that pages stay in
// order while uploads come and go. Pointers are valid until the table changes.
struct PlacedUpload {
  SegmentId place;
  const std::set<SegmentId>* segments = nullptr;
};
[[nodiscard]] std::vector<PlacedUpload> placed_uploads(const AttemptTable& attempts);

}  // namespace plimsoll
