// route.cpp - the table of routes and how a path is matched against it.
#include "controller/io/api/route.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "runtime/http/url.hpp"
#include "schemas/text.hpp"

namespace plimsoll {
namespace {

constexpr std::string_view kName = "{name}";
constexpr std::string_view kItem = "{item}";
constexpr std::string_view kNothing = "";

struct RouteRow {
  std::string_view method;
  std::array<std::string_view, 5> pieces;  // unused ones stay at the end, as kNothing
  std::string_view verb;                   // after ':' in the last piece
  RouteId id;
};

constexpr std::array kRoutes = {
    RouteRow{"GET", {"v1", "backups"}, kNothing, RouteId::list_backups},
    RouteRow{"POST", {"v1", "backups"}, kNothing, RouteId::create_backup},
    RouteRow{"GET", {"v1", "backups", kName}, kNothing, RouteId::get_backup},
    RouteRow{"DELETE", {"v1", "backups", kName}, kNothing, RouteId::delete_backup},
    RouteRow{"PUT", {"v1", "backups", kName, "items", kItem}, kNothing, RouteId::put_item},
    RouteRow{"POST", {"v1", "backups", kName}, "seal", RouteId::seal_backup},
    RouteRow{"POST", {"v1", "backups", kName}, "cancel", RouteId::cancel_backup},
    RouteRow{"GET", {"v1", "uploads"}, kNothing, RouteId::list_uploads},
    RouteRow{"GET", {"v1", "uploads", kName}, kNothing, RouteId::get_upload},
    RouteRow{"POST", {"v1", "uploads", kName}, "cancel", RouteId::cancel_upload},
    RouteRow{"GET", {"v1", "nodes"}, kNothing, RouteId::list_nodes},
    RouteRow{"GET", {"healthz"}, kNothing, RouteId::healthz},
    RouteRow{"GET", {"readyz"}, kNothing, RouteId::readyz},
    RouteRow{"GET", {"version"}, kNothing, RouteId::version},
};

struct Target {
  std::vector<std::string> pieces;  // decoded
  std::string verb;
};

// The verb is looked for before decoding, so that an encoded ':' is part of a name; a path of an
// item has none, for items may contain ':'.
Result<Target> target_of(std::string_view path) {
  std::string_view rest = path;
  Target target;
  const auto colon = path.rfind(':');
  const bool in_last =
      colon != std::string_view::npos && path.find('/', colon) == std::string_view::npos;
  if (in_last && std::count(path.begin(), path.end(), '/') == 3) {
    target.verb = path.substr(colon + 1);
    rest = path.substr(0, colon);
  }
  auto pieces = decode_path(rest);
  if (!pieces) return fail(pieces.error());
  target.pieces = std::move(*pieces);
  return target;
}

// Nothing, or what stood in the places of the names.
std::optional<Route> match(const RouteRow& row, const Target& target) {
  const auto used = static_cast<std::size_t>(
      std::find(row.pieces.begin(), row.pieces.end(), kNothing) - row.pieces.begin());
  if (used != target.pieces.size() || row.verb != target.verb) return std::nullopt;
  Route route;
  route.id = row.id;
  for (std::size_t i = 0; i < used; ++i) {
    const bool variable = row.pieces[i] == kName || row.pieces[i] == kItem;
    if (!variable && row.pieces[i] != target.pieces[i]) return std::nullopt;
    if (variable && target.pieces[i].empty()) return std::nullopt;
    if (row.pieces[i] == kName) route.name = target.pieces[i];
    if (row.pieces[i] == kItem) route.item = target.pieces[i];
  }
  return route;
}

std::string methods_of(const Target& target) {
  std::string methods;
  for (const auto& row : kRoutes) {
    if (!match(row, target)) continue;
    if (!methods.empty()) methods += ", ";
    methods += row.method;
  }
  return methods;
}

}  // namespace

Result<Route> route_of(std::string_view method, std::string_view path) {
  const auto target = target_of(path);
  if (!target) return fail(target.error());
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  for (const auto& row : kRoutes) {
    if (row.method != wanted) continue;
    if (auto route = match(row, *target)) return std::move(*route);
  }
  const auto methods = methods_of(*target);
  if (methods.empty())
    return fail(
        ErrorCode::not_found, "no such path: " + plimsoll::quoted(path),
        "paths begin with /v1/backups, /v1/uploads, /v1/nodes; an item's '/' is sent as %2F");
  return fail(
      ErrorCode::method,
      std::string(cut_utf8(escape_text(method), 16)) + " is not known at " + plimsoll::quoted(path),
      "use " + methods);
}

std::string allowed_methods(std::string_view path) {
  const auto target = target_of(path);
  return target ? methods_of(*target) : "";
}

}  // namespace plimsoll
