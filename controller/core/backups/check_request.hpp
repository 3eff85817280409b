// check_request.hpp - whether a request is well formed, names something, and may be made. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controller/core/api_calls.hpp"
#include "controller/core/model.hpp"

namespace plimsoll {

inline constexpr std::uint32_t kMaxParts = 10000;    // of one item
inline constexpr std::size_t kMaxSealErrors = 1000;  // in one request

// nullopt: fine. `field` names the input in the error.
[[nodiscard]] std::optional<ApiError> check_item_spec(const ItemSpec& spec,
                                                      const std::string& field);
[[nodiscard]] std::optional<ApiError> check_new_backup(const CreateBackupCall& call);
[[nodiscard]] std::optional<ApiError> check_name(const std::string& name);

[[nodiscard]] ApiError api_error(ErrorCode code, std::string message, std::string hint = "",
                                 std::string field = "");
// `gone` while a tombstone of that name or UID lives, else `not_found`.
[[nodiscard]] ApiError no_such_backup(const Model& rows, std::string_view name_or_uid);
[[nodiscard]] ApiError not_allowed(const Caller& caller, const std::string& what);

[[nodiscard]] bool owns(const Caller& caller, const BackupRecord& backup);
[[nodiscard]] bool may_cancel(const Model& rows, const Caller& caller, const UploadRecord& upload);

}  // namespace plimsoll
