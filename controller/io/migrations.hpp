// migrations.hpp - the store's tables, version by version. A step that was released never changes.
#pragma once

#include <array>
#include <string_view>

#include "controller/io/sqlite_connection.hpp"
#include "schemas/result.hpp"

namespace plimsoll {

// What brings a store from version N to N+1; N is its place in kMigrations.
extern const std::array<std::string_view, 1> kMigrations;
[[nodiscard]] int newest_store_version();

// Runs the missing steps, each with its version number in one transaction: a store is always at a
// whole version. unsupported: it is newer than this build; nothing was changed.
[[nodiscard]] Result<void> migrate(SqliteConnection& connection);

}  // namespace plimsoll
