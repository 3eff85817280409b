// parse_zstd.cpp - `zstd --progress` on stderr: "Read: X / Y ==> r%", where r is the ratio of the
// compression and not how far it is; of a pipe without "/ Y". The last line is
// "NAME :r% (IN => OUT, FILE)". Sizes are rounded, so counts are coarse.
#include <algorithm>

#include "shim/run/tools/parsers.hpp"
#include "shim/run/tools/printed_number.hpp"
#include "shim/run/tools/text_tool.hpp"

namespace plimsoll {

namespace {

constexpr std::string_view kRead = "Read:";

class ZstdParser : public TextToolParser {
 public:
  ZstdParser() : TextToolParser("zstd") {}

 protected:
  bool take_progress(std::string_view text) override {
    const std::size_t at = text.rfind(kRead);
    if (at == std::string_view::npos) return take_last_line(text);
    return take_read(text.substr(0, at), text.substr(at + kRead.size()));
  }

  [[nodiscard]] bool is_whole(std::string_view text) const override {
    return ends_with(text, "%") && text.find("==>") != std::string_view::npos;
  }

  [[nodiscard]] std::optional<Severity> severity_of(Stream stream,
                                                    std::string_view text) const override {
    if (starts_with(text, "zstd: error ") || starts_with(text, "zstd: Error"))
      return Severity::error;
    if (starts_with(text, "zstd: ")) return Severity::warning;
    if (stream == Stream::err) return Severity::info;
    return std::nullopt;
  }

 private:
  bool take_read(std::string_view before, std::string_view text) {
    eat_spaces(text);
    const std::int64_t read = take_size(text, SizeBase::binary);
    eat_spaces(text);
    std::int64_t total = 0;
    if (eat(text, "/")) {
      eat_spaces(text);
      total = take_size(text, SizeBase::binary);
      eat_spaces(text);
    }
    if (read < 0 || total < 0 || !eat(text, "==>")) return false;
    take_file_number(before);
    take_counts(read, total);
    return true;
  }

  // "Compress: 2/3 files. Current: NAME": sizes are of one file, and each begins anew.
  void take_file_number(std::string_view before) {
    const std::size_t at = before.find("ompress: ");
    if (at == std::string_view::npos) return;
    std::string_view text = before.substr(at + 9);
    const std::int64_t number = take_integer(text);
    if (number <= 0 || !eat(text, "/")) return;
    several_ = take_integer(text) > 1;
    if (number > file_ && file_ > 0) {
      ended_ = sample_.completed;
      sample_.files_done = number - 1;
    }
    file_ = std::max(file_, number);
  }

  void take_counts(std::int64_t read, std::int64_t total) {
    const std::int64_t done = read > kMaxCount - ended_ ? kMaxCount : ended_ + read;
    advance(done, several_ ? 0 : total);
    sample_.read = sample_.completed;
  }

  // "big.raw :100.00%   (   512 MiB =>    512 MiB, out.zst)". The name may hold anything: the last
  // parenthesis that reads so counts.
  bool take_last_line(std::string_view text) {
    const std::size_t arrow = text.rfind(" => ");
    if (arrow == std::string_view::npos) return false;
    const std::size_t open = text.rfind('(', arrow);
    if (open == std::string_view::npos || text.substr(0, open).find("% ") == std::string_view::npos)
      return false;
    std::string_view in = text.substr(open + 1, arrow - open - 1);
    std::string_view out = text.substr(arrow + 4);
    eat_spaces(in);
    eat_spaces(out);
    const std::int64_t read = take_size(in, SizeBase::binary);
    const std::int64_t written = take_size(out, SizeBase::binary);
    if (read < 0 || written < 0) return false;
    advance(read, read);
    sample_.read = sample_.completed;
    sample_.sent = written;
    return true;
  }

  std::int64_t ended_ = 0;  // bytes of the files before this one
  std::int64_t file_ = 0;   // the number of this one, from 1; 0 = not said
  bool several_ = false;
};

}  // namespace

std::unique_ptr<ToolParser> make_zstd_parser(const std::vector<std::string>&) {
  return std::make_unique<ZstdParser>();
}

}  // namespace plimsoll
