// fields.hpp - the one description of all configuration keys. A visitor (Fields) walks it: to read
// a file, to print the effective configuration, or to list the keys. A new key is one line in
// fields.cpp.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.hpp"
#include "config/value_text.hpp"

namespace plimsoll {

struct DurationRange {
  milliseconds min;
  milliseconds max;
  std::string_view zero = "";  // what 0 means, if it is allowed below `min`
};

struct NumberRange {
  std::uint32_t min;
  std::uint32_t max;
};

[[nodiscard]] std::string range_text(const DurationRange& range);
[[nodiscard]] std::string range_text(const NumberRange& range);

using Words = std::vector<std::string_view>;

class Fields {
 public:
  virtual ~Fields() = default;
  virtual void text(std::string_view key, std::string& value, const TextRule& rule) = 0;
  virtual void choice(std::string_view key, std::string& value, const Words& words) = 0;
  virtual void duration(std::string_view key, milliseconds& value, const DurationRange& range) = 0;
  virtual void number(std::string_view key, std::uint32_t& value, const NumberRange& range) = 0;
  virtual void flag(std::string_view key, bool& value) = 0;
  virtual void texts(std::string_view key, std::vector<std::string>& values,
                     const TextRule& rule) = 0;
  // The word `own` stands for the daemon's uid.
  virtual void uids(std::string_view key, std::vector<uid_t>& values) = 0;

  virtual void open_map(std::string_view key) = 0;
  // How many items to walk, each between open_item and close; none = leave the list as it is.
  virtual std::optional<std::size_t> open_list(std::string_view key, std::size_t size) = 0;
  virtual void open_item(std::size_t index) = 0;
  virtual void close() = 0;  // what was opened last: a map, an item, or a list that had a count
};

inline constexpr std::size_t kMaxListItems = 256;

// Walks every key in file order. `config` is read or written, as the visitor pleases.
void walk(Fields& fields, AgentConfig& config);
void walk(Fields& fields, ControllerConfig& config);

extern const Words kLogLevels;

}  // namespace plimsoll
