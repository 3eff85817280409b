// backup_json.hpp - JSON of backups and nodes as the HTTP API shows them (uploads:
// schemas/api_json.hpp). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "controller/core/documents.hpp"
#include "schemas/result.hpp"

namespace plimsoll {

// As in lists and watch streams: no items, no uploadProgress.
[[nodiscard]] nlohmann::json backup_json(const BackupDocument& backup);

// As in GET of one: with items and the map from item to the upload's status. `next` is where the
// map goes on (metadata.continue); "" = this is all of it.
[[nodiscard]] nlohmann::json whole_backup_json(const BackupDocument& backup,
                                               const std::vector<UploadDocument>& uploads,
                                               std::string_view next);

[[nodiscard]] nlohmann::json node_json(const NodeDocument& node);

// The words of `spec.seal` and `spec.source`.
[[nodiscard]] std::string_view word(SealMode seal);
[[nodiscard]] std::string_view word(BackupSource source);

}  // namespace plimsoll
