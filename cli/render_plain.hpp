// render_plain.hpp - `plimsoll watch` for logs and screen readers: one line per change, time first,
// then key=value. The format is stable: golden tests hold it. Pure.
#pragma once

#include <string>

#include "cli/documents.hpp"
#include "cli/watch/watch_state.hpp"
#include "schemas/time.hpp"

namespace plimsoll::cli {

// "15:30:58Z LOST       persistentvolumeclaims/shop/redis-0 backup=nightly node=n done=1 total=2 …"
[[nodiscard]] std::string plain_change(const WatchChange& change, WallTime now);

// "15:31:07Z SUMMARY    nightly phase=Uploading done=29/40 bytes=2330/3408 rate=432013312
// eta=2494s"
[[nodiscard]] std::string plain_summary(const BackupRow& backup, WallTime now);

}  // namespace plimsoll::cli
