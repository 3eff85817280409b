// print_fields.hpp - walks the key description to write a configuration as YAML, or to list its
// keys.
#pragma once

#include <string>
#include <vector>

#include "config/fields.hpp"
#include "config/load.hpp"

namespace plimsoll {

// Written as the word `own` in lists of uids; no user has this number.
inline constexpr uid_t kOwnUid = static_cast<uid_t>(-1);

// How each kind of value is spelled is the same for printing and listing.
class FieldText : public Fields {
 public:
  void text(std::string_view key, std::string& value, const TextRule& rule) override;
  void choice(std::string_view key, std::string& value, const Words& words) override;
  void duration(std::string_view key, milliseconds& value, const DurationRange& range) override;
  void number(std::string_view key, std::uint32_t& value, const NumberRange& range) override;
  void flag(std::string_view key, bool& value) override;
  void texts(std::string_view key, std::vector<std::string>& values, const TextRule& rule) override;
  void uids(std::string_view key, std::vector<uid_t>& values) override;

 private:
  // One leaf; `value` is YAML, `range` says what is allowed.
  virtual void leaf(std::string_view key, const std::string& value, const std::string& range) = 0;
};

class FieldPrinter final : public FieldText {
 public:
  void open_map(std::string_view key) override;
  std::optional<std::size_t> open_list(std::string_view key, std::size_t size) override;
  void open_item(std::size_t index) override;
  void close() override { --depth_; }
  [[nodiscard]] std::string take() { return std::move(yaml_); }

 private:
  void leaf(std::string_view key, const std::string& value, const std::string& range) override;
  std::string indent();

  std::string yaml_;
  int depth_ = 0;
  bool begins_item_ = false;  // the next line carries the list's dash
};

class FieldLister final : public FieldText {
 public:
  void open_map(std::string_view key) override;
  std::optional<std::size_t> open_list(std::string_view key, std::size_t size) override;
  void open_item(std::size_t index) override;
  void close() override { above_.pop_back(); }
  [[nodiscard]] std::vector<KnownKey> take() { return std::move(keys_); }

 private:
  void leaf(std::string_view key, const std::string& value, const std::string& range) override;

  std::vector<KnownKey> keys_;
  std::vector<std::string> above_ = {""};  // prefixes, each with its dot
};

}  // namespace plimsoll
