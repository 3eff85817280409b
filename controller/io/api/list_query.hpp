// list_query.hpp - the query of a request, read strictly, and what lists and watches make of it.
// Pure.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "controller/core/queries.hpp"
#include "runtime/http/url.hpp"
#include "schemas/result.hpp"

namespace plimsoll {

// Unknown and repeated keys and unknown values are refused; the first error is kept.
class QueryReader {
 public:
  QueryReader(const QueryFields& fields, std::initializer_list<std::string_view> known);

  // "" when absent.
  [[nodiscard]] std::string text(std::string_view key, std::size_t max_bytes);
  // The value's position in `words`; absent is 0.
  [[nodiscard]] std::size_t choice(std::string_view key,
                                   std::initializer_list<std::string_view> words);
  [[nodiscard]] std::size_t number(std::string_view key, std::size_t otherwise, std::size_t max);
  void refuse(std::string_view key, const std::string& what, const std::string& hint = "");

  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  [[nodiscard]] const std::string* find(std::string_view key) const;

  const QueryFields& fields_;
  std::optional<Error> error_;
};

template <typename Query>
struct ListRequest {
  Query query;
  bool watch = false;
};

[[nodiscard]] Result<ListRequest<BackupQuery>> backup_list_request(const QueryFields& fields);
[[nodiscard]] Result<ListRequest<UploadQuery>> upload_list_request(const QueryFields& fields);

// view=full is the only view; gives where the map of uploads goes on.
[[nodiscard]] Result<std::string> whole_backup_after(const QueryFields& fields);

// Whether one object belongs to a list or watch of that query (limit and after aside).
[[nodiscard]] bool matches(const BackupQuery& query, const BackupDocument& backup);
[[nodiscard]] bool matches(const UploadQuery& query, const UploadDocument& upload, bool orphan);

}  // namespace plimsoll
