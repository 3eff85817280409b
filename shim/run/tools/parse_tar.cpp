// parse_tar.cpp - GNU tar's checkpoints on stderr: "tar: Write checkpoint N" (N records of 20 x 512
// bytes, unless -b or --record-size say otherwise), or with
// --checkpoint-action='echo=%u %{r,w,d}T' the bytes: "tar: N w: BYTES (49MiB, 144MiB/s)"; also the
// line of --totals. There is no total. Words are localised, so the form counts and not the word.
#include <algorithm>

#include "shim/run/tools/parsers.hpp"
#include "shim/run/tools/printed_number.hpp"
#include "shim/run/tools/text_tool.hpp"

namespace plimsoll {

namespace {

constexpr std::int64_t kBlockBytes = 512;
constexpr std::int64_t kDefaultRecordBytes = 20 * kBlockBytes;
constexpr std::int64_t kMaxRecordBytesOfTar = std::int64_t{1} << 31;
constexpr int kDifferStatus = 1;
constexpr int kFatalStatus = 2;

struct TarFlags {
  std::int64_t record_bytes = kDefaultRecordBytes;
  std::int64_t every = 0;  // --checkpoint=N; 0 = not said
};

// The number behind "<option>=", or -1.
std::int64_t number_behind(std::string_view word, std::string_view option) {
  if (!eat(word, option)) return -1;
  return take_size(word, SizeBase::binary);
}

TarFlags flags_of(const std::vector<std::string>& argv) {
  TarFlags flags;
  for (std::size_t at = 0; at < argv.size(); ++at) {
    const std::string& word = argv[at];
    std::int64_t blocks = number_behind(word, "--blocking-factor=");
    if (blocks < 0) blocks = number_behind(word, "-b");
    if (blocks < 0 && (word == "-b" || word == "--blocking-factor") && at + 1 < argv.size())
      blocks = number_behind(argv[at + 1], "");
    std::int64_t bytes = number_behind(word, "--record-size=");
    if (blocks > 0) bytes = std::min(blocks, kMaxRecordBytesOfTar) * kBlockBytes;
    if (bytes > 0) flags.record_bytes = std::min(bytes, kMaxRecordBytesOfTar);
    if (starts_with(word, "--checkpoint=")) flags.every = number_behind(word, "--checkpoint=");
  }
  return flags;
}

class TarParser : public TextToolParser {
 public:
  explicit TarParser(TarFlags flags) : TextToolParser("tar"), flags_(flags) {}

 protected:
  bool take_progress(std::string_view text) override {
    while (ends_with(text, " "))
      text.remove_suffix(1);
    const std::int64_t bytes = bytes_in(text);
    if (bytes >= 0) {
      advance(bytes, 0);
      return true;
    }
    return eat(text, "tar: ") && take_checkpoint(text);
  }

  [[nodiscard]] std::optional<Severity> severity_of(Stream, std::string_view text) const override {
    if (!starts_with(text, "tar: ")) return std::nullopt;  // -v: a member's name
    if (ends_with(text, "file changed as we read it") ||
        ends_with(text, "File removed before we read it") ||
        starts_with(text, "tar: Removing leading"))
      return Severity::warning;
    const std::string_view rest = text.substr(5);
    return rest.find(": ") != std::string_view::npos ? Severity::error : Severity::info;
  }

  void take_message(std::string_view text) override {
    if (ends_with(text, "file changed as we read it") && sample_.warnings < UINT32_MAX)
      ++sample_.warnings;
    if (severity_of(Stream::err, text) == Severity::error && sample_.errors < UINT32_MAX)
      ++sample_.errors;
  }

  // 2 is fatal, but also what an unreadable file gives: then tar says that it went on to the end.
  void refine(ExitStatus exit, Terminal& end) override {
    if (exit.signal != 0) return;
    if (exit.code == kDifferStatus) make_incomplete(end, "some files changed while being read");
    if (exit.code == kFatalStatus && ends_with(last_words(), "due to previous errors"))
      make_incomplete(end, "some files could not be read");
  }

 private:
  // "… w: 51189760 (49MiB, 144MiB/s)" and "Total bytes written: 417105920 (398MiB, 144MiB/s)".
  static std::int64_t bytes_in(std::string_view text) {
    if (!ends_with(text, "/s)")) return -1;
    const std::size_t open = text.rfind(" (");
    if (open == std::string_view::npos) return -1;
    std::string_view number = text.substr(0, open);
    const std::size_t colon = number.rfind(": ");
    if (colon == std::string_view::npos) return -1;
    number.remove_prefix(colon + 2);
    const std::int64_t bytes = take_integer(number);
    return number.empty() ? bytes : -1;
  }

  // "Write checkpoint 5000" in tar's own words, or any other language's with a number that is due.
  bool take_checkpoint(std::string_view text) {
    const bool known = eat(text, "Write checkpoint ") || eat(text, "Read checkpoint ");
    if (!known) {
      const std::size_t space = text.rfind(' ');
      if (flags_.every <= 0 || space == std::string_view::npos) return false;
      if (text.find(':') != std::string_view::npos) return false;
      text.remove_prefix(space + 1);
    }
    const std::int64_t records = take_integer(text);
    if (records < 0 || !text.empty()) return false;
    if (!known && (records <= last_ || records % flags_.every != 0)) return false;
    last_ = records;
    const bool fits = records <= kMaxCount / flags_.record_bytes;
    advance(fits ? records * flags_.record_bytes : kMaxCount, 0);
    return true;
  }

  TarFlags flags_;
  std::int64_t last_ = 0;  // the number of the last checkpoint
};

}  // namespace

std::unique_ptr<ToolParser> make_tar_parser(const std::vector<std::string>& argv) {
  return std::make_unique<TarParser>(flags_of(argv));
}

}  // namespace plimsoll
