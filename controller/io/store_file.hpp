// store_file.hpp - the store's file before SQLite sees it: is it ours, is it readable, may it be
// made? Nothing here ever changes a file that is already there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "schemas/result.hpp"

namespace plimsoll {

inline constexpr std::uint32_t kStoreApplicationId = 0x504C494D;  // "PLIM", in the file's header

enum class StoreFile { missing, present };

// Looks at the file's header only. config: a symlink or no regular file; corrupt: empty, cut off,
// no SQLite file, another application's, or its write-ahead log is there without it; unsupported:
// written by a newer version than `newest_version`; permission.
[[nodiscard]] Result<StoreFile> inspect_store_file(const std::string& path, int newest_version);

// Makes `path` whole or not at all: `fill` writes a file of another name (0600) in the same
// directory, which is synced and then given its name. An existing `path` is never replaced.
[[nodiscard]] Result<void> create_store_file(
    const std::string& path, const std::function<Result<void>(const std::string&)>& fill);

}  // namespace plimsoll
