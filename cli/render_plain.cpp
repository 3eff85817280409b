// render_plain.cpp - words and values in one order, quoted where a blank would break the pair.
#include "cli/render_plain.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>
#include <utility>

#include "cli/amounts.hpp"
#include "cli/styled.hpp"

namespace plimsoll::cli {
namespace {

constexpr std::size_t kWordWidth = 10;  // CANCELLING

std::string upper(std::string_view text) {
  std::string large(text);
  std::transform(large.begin(), large.end(), large.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return large;
}

std::string value_text(std::string_view value) {
  if (value.find_first_of(" \"=\\") == value.npos) return std::string(value);
  std::string quoted_value = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') quoted_value += '\\';
    quoted_value += c;
  }
  return quoted_value + "\"";
}

class PlainLine {
 public:
  PlainLine(WallTime now, std::string_view word, std::string_view name) {
    text_ = clock_seconds(now) + "Z ";
    text_ += pad_right(upper(word), kWordWidth) + " ";
    text_.append(name.empty() ? "-" : name);
  }
  void put(std::string_view key, std::string_view value) {  // nothing for what is not known
    if (!value.empty()) text_.append(" ").append(key).append("=") += value_text(value);
  }
  void put(std::string_view key, std::int64_t value) { put(key, std::to_string(value)); }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string attempt_text(const UploadRow& upload) {
  if (upload.attempts == 0) return "";
  return std::to_string(upload.attempt) + "/" + std::to_string(upload.attempts);
}

std::string upload_line(const UploadRow& upload, WallTime now) {
  PlainLine line(now, upload.state_word, upload.item);
  line.put("id", upload.id);
  line.put("backup", upload.backup);
  line.put("node", upload.node);
  if (upload.attempts > 0) line.put("done", upload.done);
  if (upload.total) line.put("total", *upload.total);
  if (upload.units != "bytes") line.put("units", upload.units);
  line.put("activity", upload.over() ? "" : upload.activity);
  line.put("reason", upload.over() ? "" : upload.reason);
  line.put("attempt", attempt_text(upload));
  line.put("stored-as", upload.stored_as);
  line.put("err", upload.err);
  return line.take();
}

std::string backup_line(const BackupRow& backup, WallTime now) {
  PlainLine line(now, "PHASE", backup.name);
  line.put("phase", backup.phase_word);
  line.put("uid", backup.uid);
  if (backup.over() && backup.phase != BackupPhase::completed && !backup.errors.empty())
    line.put("err", backup.errors.front().text);
  return line.take();
}

}  // namespace

std::string plain_change(const WatchChange& change, WallTime now) {
  switch (change.kind) {
    case WatchChange::Kind::upload:
      return upload_line(change.upload, now);
    case WatchChange::Kind::backup:
      return backup_line(change.backup, now);
    case WatchChange::Kind::upload_gone: {
      PlainLine line(now, "GONE", change.upload.item);
      line.put("id", change.key);
      line.put("backup", change.upload.backup);
      return line.take();
    }
    case WatchChange::Kind::backup_gone: {
      PlainLine line(now, "DELETED", change.backup.name);
      line.put("uid", change.key);
      return line.take();
    }
  }
  return "";
}

std::string plain_summary(const BackupRow& backup, WallTime now) {
  PlainLine line(now, "SUMMARY", backup.name);
  line.put("phase", backup.phase_word);
  line.put("done", std::to_string(backup.count(UploadState::completed)) + "/" +
                       std::to_string(backup.uploads));
  const auto total = backup.total && backup.unknown == 0 ? std::to_string(*backup.total) : "?";
  line.put("bytes", std::to_string(backup.done) + "/" + total);
  if (backup.rate) line.put("rate", static_cast<std::int64_t>(std::floor(*backup.rate)));
  if (backup.eta_seconds) line.put("eta", std::to_string(*backup.eta_seconds) + "s");
  return line.take();
}

}  // namespace plimsoll::cli
