// render_words.cpp - states and phases in words and colours.
#include "cli/render_words.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "schemas/merge.hpp"

namespace plimsoll::cli {
namespace {

// In the order in which they matter to a reader.
constexpr std::array kCounted = {
    UploadState::failed,     UploadState::lost,     UploadState::stalled,
    UploadState::incomplete, UploadState::canceled, UploadState::cancelling,
    UploadState::running,    UploadState::waiting,  UploadState::pending};

std::string lower(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small;
}

}  // namespace

Tone tone_of(const UploadRow& upload) {
  if (!upload.state) return Tone::plain;
  switch (*upload.state) {
    case UploadState::pending:
    case UploadState::canceled:
      return Tone::dim;
    case UploadState::waiting:
    case UploadState::running:
      return Tone::cyan;
    case UploadState::stalled:
    case UploadState::cancelling:
    case UploadState::incomplete:
      return Tone::yellow;
    case UploadState::lost:
    case UploadState::failed:
      return Tone::red;
    case UploadState::completed:
      return Tone::green;
  }
  return Tone::plain;
}

Tone tone_of(const BackupRow& backup) {
  if (!backup.phase) return Tone::plain;
  switch (*backup.phase) {
    case BackupPhase::completed:
      return Tone::green;
    case BackupPhase::new_:
    case BackupPhase::in_progress:
    case BackupPhase::uploading:
      return Tone::cyan;
    case BackupPhase::uploading_partial_failure:
    case BackupPhase::deleting:
      return Tone::yellow;
    case BackupPhase::failed_validation:
    case BackupPhase::partially_failed:
    case BackupPhase::failed:
      return Tone::red;
  }
  return Tone::plain;
}

bool is_trouble(const UploadRow& upload) {
  return upload.state == UploadState::lost || upload.state == UploadState::stalled ||
         upload.state == UploadState::failed;
}

std::string state_text(const UploadRow& upload) {
  const bool moving = upload.state == UploadState::running || upload.state == UploadState::stalled;
  if (!moving || upload.activity.empty()) return upload.state_word;
  return upload.state_word + ", " + upload.activity;
}

std::string short_item(std::string_view item) {
  const auto slash = item.find('/');
  const bool has_namespace = slash != item.npos && item.find('/', slash + 1) != item.npos;
  return std::string(has_namespace ? item.substr(slash + 1) : item);
}

std::string restorable_note(const BackupRow& backup) {
  if (!backup.phase) return "";
  switch (*backup.phase) {
    case BackupPhase::completed:
    case BackupPhase::deleting:
      return "";
    case BackupPhase::partially_failed:
      return std::to_string(backup.count(UploadState::completed)) + " of " +
             std::to_string(backup.uploads) + " durable";
    case BackupPhase::failed:
    case BackupPhase::failed_validation:
      return "not restorable";
    default:
      return "not restorable yet";
  }
}

std::string counts_text(const BackupRow& backup, std::string_view between) {
  std::string text = std::to_string(backup.count(UploadState::completed)) + "/" +
                     std::to_string(backup.uploads) + " done";
  for (const auto state : kCounted)
    if (const auto number = backup.count(state); number > 0)
      text.append(between).append(std::to_string(number)) += " " + lower(word(state));
  return text;
}

std::optional<double> percent_of_backup(const BackupRow& backup) {
  if (backup.phase == BackupPhase::completed) return 100.0;  // also where bytes were not counted
  if (backup.unknown > 0) return std::nullopt;
  return percent_of(backup.done, backup.total.value_or(0), false);
}

Amount amount_of(const UploadRow& upload) {
  return {upload.done, upload.total, upload.units};
}

Amount amount_of(const BackupRow& backup) {
  return {backup.done, backup.total, "bytes"};
}

}  // namespace plimsoll::cli
