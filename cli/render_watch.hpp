// render_watch.hpp - one frame of `plimsoll watch`. Pure: rows, screen and time in, lines out.
// Layouts for 100, 80, 60 and 40 columns; never wider than the screen, never higher.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/documents.hpp"
#include "cli/styled.hpp"
#include "schemas/time.hpp"

namespace plimsoll::cli {

struct WatchFrame {
  std::vector<BackupRow> backups;
  std::vector<UploadRow> uploads;
  std::string source;    // who is asked: "controller" or "agent"
  std::string trouble;   // "controller not answering for 14s"; "" = connected
  bool waiting = false;  // the first full set has not come yet
};

struct WatchLook {
  Screen screen;  // width 0 = 100 columns, height 0 = no bound
  WallTime now{};
  bool keys = true;  // the last line says which keys there are
};

[[nodiscard]] Lines render_watch(const WatchFrame& frame, const WatchLook& look);

}  // namespace plimsoll::cli
