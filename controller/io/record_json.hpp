// record_json.hpp - the nested values of stored rows ↔ JSON text. Keys are stored: never rename,
// append only. Reading gives nothing for text that no version of ours wrote. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controller/core/records.hpp"

namespace plimsoll::record_json {

[[nodiscard]] std::string write(const std::vector<StoredTimer>& timers);
[[nodiscard]] std::string write(const std::vector<BackupMessage>& messages);
[[nodiscard]] std::string write(const std::vector<LeftBehind>& left_behind);
[[nodiscard]] std::string write(const Identity& identity);
[[nodiscard]] std::string write(const Sample& sample);
[[nodiscard]] std::optional<std::string> write(const std::optional<Terminal>& terminal);
[[nodiscard]] std::optional<std::string> write(const std::optional<RetrievalError>& error);
[[nodiscard]] std::optional<std::string> write(const std::optional<UploadEnd>& end);
[[nodiscard]] std::optional<std::string> write(const std::optional<CancelRequest>& cancel);

[[nodiscard]] std::optional<std::vector<StoredTimer>> read_timers(std::string_view text);
[[nodiscard]] std::optional<std::vector<BackupMessage>> read_messages(std::string_view text);
[[nodiscard]] std::optional<std::vector<LeftBehind>> read_left_behind(std::string_view text);
[[nodiscard]] std::optional<Identity> read_identity(std::string_view text);
[[nodiscard]] std::optional<Sample> read_sample(std::string_view text);
[[nodiscard]] std::optional<Terminal> read_terminal(std::string_view text);
[[nodiscard]] std::optional<RetrievalError> read_retrieval_error(std::string_view text);
[[nodiscard]] std::optional<UploadEnd> read_upload_end(std::string_view text);
[[nodiscard]] std::optional<CancelRequest> read_cancel(std::string_view text);

}  // namespace plimsoll::record_json
