// upload_document.hpp - an Upload as HTTP clients see it, from the agent and from the controller
// alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schemas/merge.hpp"
#include "schemas/time.hpp"
#include "schemas/upload_progress.hpp"
#include "schemas/upload_state.hpp"

namespace plimsoll {

struct RetrievalError {  // trouble in finding out; never mixed with err
  std::string text;
  std::optional<WallTime> since;
};

struct UploadDocument {
  std::string id;  // 16 hex digits
  std::optional<WallTime> created;
  // spec
  std::string backup;
  std::string backup_uid;
  std::string item;
  std::string snapshot_id;
  std::string volume_id;
  std::uint32_t parts = 0;
  // status
  UploadView view;
  Freshness freshness = Freshness::live;
  std::int64_t freshness_age_seconds = 0;
  std::optional<RetrievalError> retrieval_error;
  std::vector<UploadEvent> history;  // only in GET of one
};

}  // namespace plimsoll
