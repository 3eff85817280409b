// run_names.hpp - the names `plimsoll run` gives where the person gave none. Pure.
#pragma once

#include <string>
#include <string_view>

#include "schemas/time.hpp"

namespace plimsoll::cli {

// "20260131t235959z": sorts by time and is allowed in a backup's name.
[[nodiscard]] std::string name_stamp(WallTime now);

// TOOL-YYYYMMDDtHHMMSSz; what a name may not hold becomes '-'.
[[nodiscard]] std::string default_backup_name(std::string_view program, WallTime now);

// paths/CWD-as-dashes: "/srv/www" → "paths/srv-www"; "/" → "paths/root".
[[nodiscard]] std::string default_item_name(std::string_view working_directory);

// B-YYYYMMDDtHHMMSSz, for a name that is taken by a backup that is over; B is cut to make room.
[[nodiscard]] std::string next_backup_name(std::string_view backup, WallTime now);

}  // namespace plimsoll::cli
