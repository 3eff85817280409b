// render_words.hpp - the small words and colours that every view shares. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/amounts.hpp"
#include "cli/documents.hpp"
#include "cli/styled.hpp"

namespace plimsoll::cli {

[[nodiscard]] Tone tone_of(const UploadRow& upload);
[[nodiscard]] Tone tone_of(const BackupRow& backup);

// Lost, Stalled or Failed: what a person should look at first.
[[nodiscard]] bool is_trouble(const UploadRow& upload);

// "Running, sending"; the state alone where no activity is known.
[[nodiscard]] std::string state_text(const UploadRow& upload);

// An item without its resource where a namespace still tells it apart: "shop/data-0", "paths/srv".
[[nodiscard]] std::string short_item(std::string_view item);

// "not restorable yet", "2 of 3 durable", "not restorable"; "" for Completed.
[[nodiscard]] std::string restorable_note(const BackupRow& backup);

// "3/4 done, 1 failed": durable of expected, then every other state that occurs.
[[nodiscard]] std::string counts_text(const BackupRow& backup, std::string_view between);

// 0…100 in tenths, at most 99.9 before Completed; nothing while a total is not known.
[[nodiscard]] std::optional<double> percent_of_backup(const BackupRow& backup);

[[nodiscard]] Amount amount_of(const UploadRow& upload);
[[nodiscard]] Amount amount_of(const BackupRow& backup);

}  // namespace plimsoll::cli
