// api_calls.hpp - what clients may ask the controller to change, and what they are answered. Reads
// are queries.hpp. Values only; the words of the HTTP API are the edge's. Answers are given after
// the commit that holds the change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "controller/core/documents.hpp"
#include "controller/core/records.hpp"
#include "schemas/result.hpp"

namespace plimsoll {

struct Caller {
  std::uint32_t uid = 0;  // of the peer, from the kernel
  bool is_admin = false;  // uid 0, the daemon's uid, or socket.admins: the edge decides
};

struct ItemSpec {
  std::string item;
  std::string snapshot_id;
  std::string volume_id;
  std::uint32_t parts = 0;  // 0 = not said
  std::string tracker;
  bool operator==(const ItemSpec&) const = default;
};

// 201 created; the same uid again 200. Admins only.
struct CreateBackupCall {
  std::string name;
  std::string uid;  // "" = the controller chooses
  std::vector<ItemSpec> items;
  SealMode seal = SealMode::manual;
  BackupSource source = BackupSource::api;
};

enum class CreateMode : std::uint8_t { no, auto_, manual };

// 201 created; 200 there already with the same attributes. With `create` anyone may make a backup,
// and owns it.
struct AddItemCall {
  std::string backup;  // name, or UID
  ItemSpec item;
  CreateMode create = CreateMode::no;
  BackupSource source = BackupSource::run;  // of a backup made on the way
};

struct SealCall {
  std::string backup;
  SealOutcome outcome = SealOutcome::ok;
  std::vector<std::string> errors;
  bool allow_empty = false;
};

struct CancelBackupCall {
  std::string backup;
  std::string reason;
};

struct DeleteBackupCall {
  std::string backup;
};

struct CancelUploadCall {
  std::string upload;  // id, 16 hex digits
  std::string reason;
};

using ApiCall = std::variant<CreateBackupCall, AddItemCall, SealCall, CancelBackupCall,
                             DeleteBackupCall, CancelUploadCall>;

enum class AnswerKind : std::uint8_t { ok, created, accepted };  // 200, 201, 202

// As committed. A backup is answered by create, seal and cancel of a backup; an upload by add and
// cancel of an upload; delete answers neither.
struct ApiAnswer {
  AnswerKind kind = AnswerKind::ok;
  std::optional<BackupDocument> backup;
  std::optional<UploadDocument> upload;
};

struct ApiError {
  Error error;
  std::optional<WallTime> deleted_at;  // with ErrorCode::gone
};

using ApiResult = tl::expected<ApiAnswer, ApiError>;

}  // namespace plimsoll
