// parse_aws.cpp - `aws s3 cp`, `mv` and `sync` on stdout: "Completed X/~Y (R) with ~N file(s)
// remaining (calculating...)\r", sizes rounded to units of 1024, the total growing while a "~"
// stands before it; "upload: NAME to s3://..." per file. Nothing at all for an upload from a pipe.
#include <algorithm>

#include "shim/run/tools/parsers.hpp"
#include "shim/run/tools/printed_number.hpp"
#include "shim/run/tools/text_tool.hpp"

namespace plimsoll {

namespace {

constexpr int kSkippedStatus = 2;

class AwsParser : public TextToolParser {
 public:
  AwsParser() : TextToolParser("aws") {}

 protected:
  bool take_progress(std::string_view text) override {
    if (starts_with(text, "upload: ")) {
      sample_.files_done = std::max<std::int64_t>(sample_.files_done, 0) + 1;
      return true;
    }
    return eat(text, "Completed ") && take_sizes(text);
  }

  [[nodiscard]] std::optional<Severity> severity_of(Stream stream,
                                                    std::string_view text) const override {
    if (starts_with(text, "upload failed: ") || starts_with(text, "move failed: ") ||
        starts_with(text, "fatal error: "))
      return Severity::error;
    if (starts_with(text, "warning: ")) return Severity::warning;
    if (stream == Stream::err) return Severity::info;
    return std::nullopt;
  }

  void take_message(std::string_view text) override {
    if (starts_with(text, "upload failed: ") && sample_.errors < UINT32_MAX) ++sample_.errors;
    if (starts_with(text, "warning: ") && sample_.warnings < UINT32_MAX) ++sample_.warnings;
  }

  void refine(ExitStatus exit, Terminal& end) override {
    if (exit.signal == 0 && exit.code == kSkippedStatus)
      make_incomplete(end, "some files were skipped");
  }

 private:
  // "256.0 KiB/~74.8 MiB (2.2 MiB/s) with …", or "0 file(s) with ~0 file(s) remaining".
  bool take_sizes(std::string_view text) {
    const std::int64_t done = take_size(text, SizeBase::binary);
    if (done < 0) return false;
    if (starts_with(text, " file(s) with ")) return true;
    if (!eat(text, "/")) return false;
    (void)eat(text, "~");
    const std::int64_t total = take_size(text, SizeBase::binary);
    if (total < 0 || !starts_with(text, " (")) return false;
    advance(done, total);
    sample_.sent = sample_.completed;
    return true;
  }
};

}  // namespace

std::unique_ptr<ToolParser> make_aws_parser(const std::vector<std::string>&) {
  return std::make_unique<AwsParser>();
}

}  // namespace plimsoll
