// read_fields.hpp - fills a configuration from a strict YAML tree; collects every finding with its
// place.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/fields.hpp"
#include "config/strict_yaml.hpp"

namespace plimsoll {

// Where each key that the file gives stands: "segments[0].directory" → line and column of its
// value.
using KeyPlaces = std::map<std::string, YamlPlace, std::less<>>;

class FieldReader final : public Fields {
 public:
  // `root` must outlive the reader; `own_uid` is what the word `own` stands for.
  FieldReader(const YamlNode& root, uid_t own_uid);

  void text(std::string_view key, std::string& value, const TextRule& rule) override;
  void choice(std::string_view key, std::string& value, const Words& words) override;
  void duration(std::string_view key, milliseconds& value, const DurationRange& range) override;
  void number(std::string_view key, std::uint32_t& value, const NumberRange& range) override;
  void flag(std::string_view key, bool& value) override;
  void texts(std::string_view key, std::vector<std::string>& values, const TextRule& rule) override;
  void uids(std::string_view key, std::vector<uid_t>& values) override;
  void open_map(std::string_view key) override;
  std::optional<std::size_t> open_list(std::string_view key, std::size_t size) override;
  void open_item(std::size_t index) override;
  void close() override;

  // After the walk: unknown keys at the top are found too.
  void finish() { close(); }
  [[nodiscard]] const std::vector<YamlFinding>& findings() const { return findings_; }
  [[nodiscard]] const KeyPlaces& places() const { return places_; }

 private:
  struct Frame {
    const YamlNode* node;  // null = the file does not have it
    std::string path;
    std::vector<std::string> known;  // keys asked for so far
  };

  const YamlNode* find(std::string_view key);
  const YamlNode* find_scalar(std::string_view key, std::string_view wanted);
  const YamlNode* find_list(std::string_view key, std::string_view wanted);
  void add(YamlPlace place, std::string text);
  void wrong_kind(const YamlNode& node, std::string_view wanted);
  void report_unknown(const Frame& frame);
  [[nodiscard]] std::string path_of(std::string_view key) const;

  std::vector<Frame> frames_;
  uid_t own_uid_;
  std::string path_;  // of the key found last
  std::vector<YamlFinding> findings_;
  KeyPlaces places_;
};

}  // namespace plimsoll
