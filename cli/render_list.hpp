// render_list.hpp - the tables of `plimsoll get`. Pure: rows, screen and time in, lines out.
#pragma once

#include <vector>

#include "cli/documents.hpp"
#include "cli/styled.hpp"
#include "schemas/time.hpp"

namespace plimsoll::cli {

struct ListLook {
  Screen screen;
  WallTime now{};
  bool wide = false;
  bool headings = true;
  std::size_t indent = 0;
};

[[nodiscard]] Lines render_uploads(const std::vector<UploadRow>& uploads, const ListLook& look);
[[nodiscard]] Lines render_backups(const std::vector<BackupRow>& backups, const ListLook& look);
[[nodiscard]] Lines render_nodes(const std::vector<NodeRow>& nodes, const ListLook& look);

// The uploads of one backup, without the columns that say the same in each row.
[[nodiscard]] Lines render_uploads_of_backup(const std::vector<UploadRow>& uploads,
                                             const ListLook& look);

}  // namespace plimsoll::cli
