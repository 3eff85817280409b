// print.hpp - documents on stdout in the form that -o asks for.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/session.hpp"

namespace plimsoll::cli {

// True if -o asks for data rather than for people.
[[nodiscard]] bool wants_document(const Session& session);

// One document as JSON or YAML, escaped.
void print_document(const Session& session, const nlohmann::json& document);

// What a list prints: `one` = the caller asked for exactly one by name, and gets it bare.
struct Listing {
  std::string_view kind;  // "UploadList"
  std::vector<nlohmann::json> items;
  bool one = false;
  std::function<std::string(const nlohmann::json&)> name_of;  // for -o name
  std::function<Lines(const std::vector<nlohmann::json>&)> render;
  std::string_view nothing;  // said on stderr if there is nothing
};
void print_listing(const Session& session, const Listing& listing);

}  // namespace plimsoll::cli
