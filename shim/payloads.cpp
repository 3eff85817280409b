// payloads.cpp - flatbuffers builders that are warmed up once and then reused.
#include "shim/payloads.hpp"

#include "progress_generated.h"

namespace plimsoll {
namespace {

constexpr char kFileIdentifier[] = "PLM1";
constexpr std::size_t kBuilderBytes =
    2048;  // more than the largest table and the builder's own notes take

using Builder = flatbuffers::FlatBufferBuilder;
using Text = flatbuffers::Offset<flatbuffers::String>;

Text put_text(Builder& builder, std::string_view text) {
  return text.empty() ? Text(0) : builder.CreateString(text.data(), text.size());
}

std::span<const std::byte> bytes_of_buffer(const Builder& builder) {
  return std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
}

}  // namespace

// The builder keeps default fields in the table: without them there is nothing to change in place.
struct SamplePayload::Table {
  Table() { builder.ForceDefaults(true); }

  Builder builder{kBuilderBytes};
  fbs::Sample* sample = nullptr;
  Numbers numbers;
};

SamplePayload::SamplePayload() : table_(std::make_unique<Table>()) {
  describe("");
}
SamplePayload::~SamplePayload() = default;

void SamplePayload::describe(std::string_view description) {
  Builder& builder = table_->builder;
  builder.Clear();
  const auto text = put_text(builder, description);
  builder.Finish(
      fbs::CreateSample(builder, 0, 0, -1, -1, -1, -1, 0, 0, fbs::Activity::unknown, text),
      kFileIdentifier);
  table_->sample = flatbuffers::GetMutableRoot<fbs::Sample>(builder.GetBufferPointer());
  table_->numbers = Numbers();
}

std::span<const std::byte> SamplePayload::with(const Numbers& numbers) {
  fbs::Sample& sample = *table_->sample;
  Numbers& old = table_->numbers;
  if (numbers.completed != old.completed) sample.mutate_completed(numbers.completed);
  if (numbers.total != old.total) sample.mutate_total(numbers.total);
  if (numbers.read != old.read) sample.mutate_read(numbers.read);
  if (numbers.sent != old.sent) sample.mutate_sent(numbers.sent);
  if (numbers.files_done != old.files_done) sample.mutate_files_done(numbers.files_done);
  if (numbers.files_total != old.files_total) sample.mutate_files_total(numbers.files_total);
  if (numbers.errors != old.errors) sample.mutate_errors(numbers.errors);
  if (numbers.warnings != old.warnings) sample.mutate_warnings(numbers.warnings);
  if (numbers.activity != old.activity)
    sample.mutate_activity(static_cast<fbs::Activity>(numbers.activity));
  old = numbers;
  return bytes_of_buffer(table_->builder);
}

struct EventPayload::Table {
  Builder builder{kBuilderBytes};
};

EventPayload::EventPayload() : table_(std::make_unique<Table>()) {
  (void)build(Severity::info, "", 0);  // the first use reserves the memory
}
EventPayload::~EventPayload() = default;

std::span<const std::byte> EventPayload::build(Severity severity, std::string_view text,
                                               std::int64_t at_unix_ms) {
  Builder& builder = table_->builder;
  builder.Clear();
  const auto stored = builder.CreateString(text.data(), text.size());
  builder.Finish(
      fbs::CreateEvent(builder, static_cast<fbs::Severity>(severity), stored, at_unix_ms),
      kFileIdentifier);
  return bytes_of_buffer(builder);
}

struct TerminalPayload::Table {
  Builder builder{kBuilderBytes};
};

TerminalPayload::TerminalPayload() : table_(std::make_unique<Table>()) {
  (void)build({}, {});  // the first use reserves the memory
}
TerminalPayload::~TerminalPayload() = default;

std::span<const std::byte> TerminalPayload::build(const EndOfUpload& end, const Numbers& numbers) {
  Builder& builder = table_->builder;
  builder.Clear();
  const auto err = put_text(builder, end.err);
  const auto stored_as = put_text(builder, end.stored_as);
  builder.Finish(fbs::CreateTerminal(builder, static_cast<fbs::Outcome>(end.outcome), err,
                                     end.will_retry, stored_as, numbers.completed, numbers.total,
                                     numbers.errors, numbers.warnings, end.at_unix_ms),
                 kFileIdentifier);
  return bytes_of_buffer(builder);
}

}  // namespace plimsoll
