// progress_tables.cpp - values ↔ flatbuffers tables, with every bound of text_bounds.hpp.
#include "schemas/progress_tables.hpp"

#include "schemas/text.hpp"
#include "schemas/text_bounds.hpp"

namespace plimsoll::tables {
namespace {

// Collects the first error, so that a table reads as a list of its fields.
class TextReader {
 public:
  std::string read(const flatbuffers::String* text, std::size_t max_bytes, std::string_view field) {
    auto value = text_of(text, max_bytes, field);
    if (value) return *value;
    if (!error_) error_ = value.error();
    return {};
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  std::optional<Error> error_;
};

template <typename T>
Result<T> checked(const TextReader& texts, T value) {
  if (texts.error()) return fail(*texts.error());
  return value;
}

std::vector<std::string> read_labels(TextReader& texts, const fbs::Identity& table) {
  std::vector<std::string> labels;
  if (table.labels() == nullptr) return labels;
  for (flatbuffers::uoffset_t i = 0; i < table.labels()->size() && i < kMaxLabels; ++i)
    labels.push_back(texts.read(table.labels()->Get(i), kMaxLabelBytes, "label"));
  return labels;
}

}  // namespace

Result<std::string> text_of(const flatbuffers::String* text, std::size_t max_bytes,
                            std::string_view field) {
  if (text == nullptr) return std::string();
  const std::string_view view(text->c_str(), text->size());
  const bool good =
      view.size() <= max_bytes && is_valid_utf8(view) && view.find('\0') == std::string_view::npos;
  if (!good)
    return fail(ErrorCode::corrupt, "decode " + std::string(field) + ": bad or over-long text");
  return std::string(view);
}

Offset<flatbuffers::String> put_text(FlatBufferBuilder& to, std::string_view text,
                                     std::size_t max_bytes) {
  if (text.empty()) return 0;
  return to.CreateString(clean_utf8(text, max_bytes));
}

Offset<fbs::Identity> put(FlatBufferBuilder& to, const Identity& identity) {
  std::vector<Offset<flatbuffers::String>> labels;
  for (const auto& label : identity.labels)
    if (labels.size() < kMaxLabels) labels.push_back(to.CreateString(label));
  const auto label_list = labels.empty() ? 0 : to.CreateVector(labels);
  const auto backup = to.CreateString(identity.backup);
  const auto uid = put_text(to, identity.backup_uid, kMaxUidBytes);
  const auto item = put_text(to, identity.item, kMaxItemBytes);
  const auto snapshot = put_text(to, identity.snapshot_id, kMaxSnapshotIdBytes);
  const auto volume = put_text(to, identity.volume_id, kMaxVolumeIdBytes);
  const auto part = put_text(to, identity.part, kMaxPartBytes);
  const auto units = identity.units == "bytes" ? 0 : put_text(to, identity.units, kMaxUnitsBytes);
  const auto tool = put_text(to, identity.tool, kMaxToolBytes);
  const auto version = put_text(to, identity.tool_version, kMaxToolBytes);
  return fbs::CreateIdentity(to, backup, uid, item, snapshot, volume, part, identity.parts_total,
                             identity.attempt, units, tool, version, label_list,
                             identity.opened_unix_ms, identity.auto_backup);
}

Offset<fbs::Sample> put(FlatBufferBuilder& to, const Sample& sample) {
  const auto description = put_text(to, sample.description, kMaxDescriptionBytes);
  return fbs::CreateSample(to, sample.completed, sample.total, sample.read, sample.sent,
                           sample.files_done, sample.files_total, sample.errors, sample.warnings,
                           static_cast<fbs::Activity>(sample.activity), description);
}

Offset<fbs::Event> put(FlatBufferBuilder& to, const UploadEvent& event) {
  const auto text = to.CreateString(clean_utf8(event.text, kMaxEventTextBytes));
  return fbs::CreateEvent(to, static_cast<fbs::Severity>(event.severity), text, event.at_unix_ms);
}

Offset<fbs::Terminal> put(FlatBufferBuilder& to, const Terminal& terminal) {
  const auto err = put_text(to, terminal.err, kMaxErrBytes);
  const auto stored_as = put_text(to, terminal.stored_as, kMaxStoredAsBytes);
  return fbs::CreateTerminal(to, static_cast<fbs::Outcome>(terminal.outcome), err,
                             terminal.will_retry, stored_as, terminal.completed, terminal.total,
                             terminal.errors, terminal.warnings, terminal.at_unix_ms);
}

Result<Identity> take(const fbs::Identity& table) {
  TextReader texts;
  Identity identity;
  identity.backup = texts.read(table.backup(), kMaxBackupBytes, "backup");
  identity.backup_uid = texts.read(table.backup_uid(), kMaxUidBytes, "backup uid");
  identity.item = texts.read(table.item(), kMaxItemBytes, "item");
  identity.snapshot_id = texts.read(table.snapshot_id(), kMaxSnapshotIdBytes, "snapshot id");
  identity.volume_id = texts.read(table.volume_id(), kMaxVolumeIdBytes, "volume id");
  identity.part = texts.read(table.part(), kMaxPartBytes, "part");
  identity.parts_total = table.parts_total();
  identity.attempt = table.attempt();
  if (table.units() != nullptr) identity.units = texts.read(table.units(), kMaxUnitsBytes, "units");
  identity.tool = texts.read(table.tool(), kMaxToolBytes, "tool");
  identity.tool_version = texts.read(table.tool_version(), kMaxToolBytes, "tool version");
  identity.labels = read_labels(texts, table);
  identity.opened_unix_ms = table.opened_unix_ms();
  identity.auto_backup = table.auto_backup();
  return checked(texts, std::move(identity));
}

Result<Sample> take(const fbs::Sample& table) {
  TextReader texts;
  Sample sample;
  sample.completed = table.completed();
  sample.total = table.total();
  sample.read = table.read();
  sample.sent = table.sent();
  sample.files_done = table.files_done();
  sample.files_total = table.files_total();
  sample.errors = table.errors();
  sample.warnings = table.warnings();
  const auto activity = static_cast<Activity>(table.activity());
  sample.activity = activity <= Activity::waiting ? activity : Activity::unknown;
  sample.description = texts.read(table.description(), kMaxDescriptionBytes, "description");
  return checked(texts, std::move(sample));
}

Result<UploadEvent> take(const fbs::Event& table) {
  TextReader texts;
  UploadEvent event;
  const auto severity = static_cast<Severity>(table.severity());
  event.severity = severity <= Severity::error ? severity : Severity::unknown;
  event.text = texts.read(table.text(), kMaxEventTextBytes, "event text");
  event.at_unix_ms = table.at_unix_ms();
  return checked(texts, std::move(event));
}

Result<Terminal> take(const fbs::Terminal& table) {
  TextReader texts;
  Terminal terminal;
  terminal.outcome = static_cast<Outcome>(table.outcome());  // a newer number is kept: see is_known
  terminal.err = texts.read(table.err(), kMaxErrBytes, "err");
  terminal.will_retry = table.will_retry();
  terminal.stored_as = texts.read(table.stored_as(), kMaxStoredAsBytes, "stored as");
  terminal.completed = table.completed();
  terminal.total = table.total();
  terminal.errors = table.errors();
  terminal.warnings = table.warnings();
  terminal.at_unix_ms = table.at_unix_ms();
  return checked(texts, std::move(terminal));
}

}  // namespace plimsoll::tables
