// render_describe.hpp - everything about one backup or one upload on one screen. Pure.
#pragma once

#include "cli/documents.hpp"
#include "cli/styled.hpp"
#include "schemas/time.hpp"

namespace plimsoll::cli {

struct DescribeLook {
  Screen screen;
  WallTime now{};
};

[[nodiscard]] Lines render_backup(const BackupRow& backup, const DescribeLook& look);
[[nodiscard]] Lines render_upload(const UploadRow& upload, const DescribeLook& look);

}  // namespace plimsoll::cli
