// manifest.cpp - flags and files to JSON.
#include "cli/commands/manifest.hpp"

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <memory>

#include "runtime/errno_error.hpp"
#include "schemas/api_json.hpp"
#include "schemas/text.hpp"

#include <cerrno>

namespace plimsoll::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20U;

Failure bad_item(std::string_view text, const std::string& what) {
  return fail(ErrorCode::usage, "--item " + plimsoll::quoted(text) + ": " + what,
              "ITEM[,snapshot=S][,volume=V][,parts=N]");
}

Result<void> set_field(json& item, std::string_view pair, std::string_view text) {
  const auto equals = pair.find('=');
  const auto key = pair.substr(0, equals);
  const auto value = equals == pair.npos ? std::string_view() : pair.substr(equals + 1);
  if (value.empty()) return bad_item(text, plimsoll::quoted(pair) + " is no KEY=VALUE");
  if (key == "snapshot") {
    item["snapshotID"] = value;
  } else if (key == "volume") {
    item["volumeID"] = value;
  } else if (key == "parts") {
    std::uint32_t parts = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parts);
    if (error != std::errc() || end != value.data() + value.size() || parts == 0)
      return bad_item(text, "parts must be a number from 1");
    item["parts"] = parts;
  } else {
    return bad_item(text, "no key " + plimsoll::quoted(key));
  }
  return {};
}

struct Closer {
  void operator()(std::FILE* file) const {
    if (file != stdin) (void)std::fclose(file);  // only read: nothing can be lost
  }
};

}  // namespace

Result<json> parse_item_flag(std::string_view text) {
  auto comma = text.find(',');
  json item = {{"item", text.substr(0, comma)}};
  if (comma == 0 || text.empty()) return bad_item(text, "it names no item");
  while (comma != text.npos) {
    const auto begin = comma + 1;
    comma = text.find(',', begin);
    const auto length = comma == text.npos ? text.npos : comma - begin;
    if (auto set = set_field(item, text.substr(begin, length), text); !set)
      return fail(set.error());
  }
  return item;
}

Result<json> parse_manifests(std::string_view text, std::string_view file) {
  auto value = parse_json(text, plimsoll::quoted(file));
  if (!value) {
    auto error = value.error();
    error.code = ErrorCode::usage;
    error.hint = "JSON is wanted, as kubectl get -o json prints it";
    return fail(error);
  }
  if (value->is_object() && value->contains("items") && (*value)["items"].is_array())
    *value = json((*value)["items"]);
  if (value->is_object()) *value = json::array({*value});
  const bool objects =
      value->is_array() && !value->empty() &&
      std::all_of(value->begin(), value->end(), [](const json& one) { return one.is_object(); });
  if (objects) return value;
  return fail(ErrorCode::usage, "read " + plimsoll::quoted(file) + ": it holds no objects",
              "one object, an array of objects, or a List with items");
}

Result<json> read_manifests(const std::string& file) {
  const std::unique_ptr<std::FILE, Closer> input(file == "-" ? stdin
                                                             : std::fopen(file.c_str(), "rbe"));
  if (!input) {
    auto error = errno_error("read " + plimsoll::quoted(file), errno);
    error.code = ErrorCode::usage;
    return fail(error);
  }
  std::string text(kMaxFileBytes + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), input.get()));
  if (std::ferror(input.get()) != 0)
    return fail(ErrorCode::usage, "read " + plimsoll::quoted(file) + ": it cannot be read");
  if (text.size() > kMaxFileBytes)
    return fail(ErrorCode::too_large, "read " + plimsoll::quoted(file) + ": larger than 1 MiB",
                "add the rest item by item: plimsoll backup add");
  return parse_manifests(text, file);
}

}  // namespace plimsoll::cli
