// route.hpp - which request is meant: method and raw path → one of the API's routes and its names.
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "schemas/result.hpp"

namespace plimsoll {

enum class RouteId {
  list_backups,
  create_backup,
  get_backup,
  delete_backup,
  put_item,
  seal_backup,
  cancel_backup,
  list_uploads,
  get_upload,
  cancel_upload,
  list_nodes,
  healthz,
  readyz,
  version,
};

struct Route {
  RouteId id = RouteId::healthz;
  std::string name;  // of the backup, or id of the upload; decoded
  std::string item;  // of put_item; decoded
};

// `path` is raw, still percent-encoded. not_found: no such path; method: the path exists, the
// error's hint lists what it takes; bad_request: an escape that hides something. HEAD counts as
// GET.
[[nodiscard]] Result<Route> route_of(std::string_view method, std::string_view path);

// "GET, DELETE": for the Allow header; "" if there is no such path.
[[nodiscard]] std::string allowed_methods(std::string_view path);

}  // namespace plimsoll
