// watch_rows.hpp - the rows of `plimsoll watch`: which first, which columns, what gives way. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "cli/documents.hpp"
#include "cli/styled.hpp"
#include "schemas/time.hpp"

namespace plimsoll::cli {

struct RowsLook {
  std::size_t width = 100;
  std::size_t room = 0;  // lines for rows and the "more" line; 0 = no bound
  bool utf8 = false;
  bool finished = true;          // a low terminal has no room for what is done
  bool several_backups = false;  // the name then says which
  WallTime now{};
};

// Trouble first, then what moves (the latest to end first), then what waits, then the newest done.
void sort_for_watch(std::vector<UploadRow>& uploads);

[[nodiscard]] Lines render_watch_rows(std::vector<UploadRow> uploads, const RowsLook& look);

}  // namespace plimsoll::cli
