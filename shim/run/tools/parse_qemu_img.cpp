// parse_qemu_img.cpp - `qemu-img convert -p` and its other subcommands with -p (tried with 7.2):
// "    (12.34/100%)" and a carriage return on stdout, the reason of a failure on stderr.
// 100.00 comes twice and before the end, so only the exit status completes.
#include "shim/run/exit_verdict.hpp"
#include "shim/run/number_text.hpp"
#include "shim/run/tools/parsers.hpp"
#include "shim/run/tools/record_parser.hpp"

namespace plimsoll {

namespace {

constexpr std::int64_t kPercentTotal = 100;

class QemuImgParser : public RecordParser {
 public:
  explicit QemuImgParser(std::int64_t size) : whole_(size > 0 ? size : kPercentTotal) {}

 private:
  void take(Stream stream, std::string_view text, Events& events) override;
  Terminal judge(ExitStatus exit, bool asked_to_stop, Events& events) override;

  std::int64_t whole_;  // the source's bytes, or 100 where nobody said how many there are
  std::string last_words_;
};

bool read_percent(std::string_view text, std::int64_t& hundredths) {
  if (!eat(text, "(")) return false;
  hundredths = take_hundredths(text);
  return hundredths >= 0 && eat(text, "/100%)") && text.find_first_not_of(' ') == text.npos;
}

void QemuImgParser::take(Stream stream, std::string_view text, Events& events) {
  std::int64_t hundredths = 0;
  if (read_percent(text, hundredths)) return publish(share_of(whole_, hundredths), whole_, events);
  ++counts_.text_lines;
  const bool own_words = eat(text, "qemu-img: ");
  const bool warning = begins_with(text, "warning: ");
  const bool complaint = (own_words || stream == Stream::err) && !warning;
  if (complaint) last_words_ = clean_utf8(text, kMaxEventTextBytes);
  say(warning ? Severity::warning : complaint ? Severity::error : Severity::info, text, events);
}

Terminal QemuImgParser::judge(ExitStatus exit, bool asked_to_stop, Events&) {
  Terminal end =
      judge_exit(exit, asked_to_stop, "qemu-img", exit.signal == 0 ? last_words_ : std::string());
  if (end.outcome == Outcome::durable) sample_.completed = sample_.total = whole_;
  return end;
}

}  // namespace

std::unique_ptr<ToolParser> make_qemu_img_parser(std::int64_t size_bytes) {
  return std::make_unique<QemuImgParser>(size_bytes);
}

}  // namespace plimsoll
