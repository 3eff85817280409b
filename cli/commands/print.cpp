// print.cpp - JSON, YAML, names and tables.
#include "cli/commands/print.hpp"

#include "cli/documents.hpp"
#include "cli/yaml_text.hpp"
#include "schemas/api_json.hpp"

namespace plimsoll::cli {

using nlohmann::json;

bool wants_document(const Session& session) {
  const auto format = session.options().format;
  return format == Format::json || format == Format::yaml;
}

void print_document(const Session& session, const json& document) {
  const auto safe = escaped_copy(document);
  if (session.options().format == Format::yaml)
    session.print(to_yaml(safe));
  else
    session.print(safe.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

void print_listing(const Session& session, const Listing& listing) {
  if (wants_document(session)) {
    if (listing.one && listing.items.size() == 1)
      return print_document(session, listing.items.front());
    return print_document(session, list_json(listing.kind, json(listing.items)));
  }
  if (session.options().format == Format::name) {
    for (const auto& item : listing.items)
      session.print(listing.name_of(item) + "\n");
    return;
  }
  if (listing.items.empty()) return session.say(listing.nothing);
  session.print(listing.render(listing.items));
}

}  // namespace plimsoll::cli
