// parse_rbd.cpp - `rbd export` on stderr: "\rExporting image: N% complete...", without a separator
// behind the newest value; it ends "done." or "failed.". Only a percentage is known, and it may
// jump over what is sparse.
#include <algorithm>

#include "schemas/text.hpp"
#include "schemas/text_bounds.hpp"
#include "shim/run/tools/parsers.hpp"
#include "shim/run/tools/printed_number.hpp"
#include "shim/run/tools/text_tool.hpp"

namespace plimsoll {

namespace {

constexpr std::int64_t kPercentTotal = 100;
constexpr std::string_view kComplete = "% complete...";

class RbdParser : public TextToolParser {
 public:
  RbdParser() : TextToolParser("rbd") {}

 protected:
  bool take_progress(std::string_view text) override {
    const std::size_t at = text.find(kComplete);
    const std::size_t colon = text.find(": ");
    if (at == std::string_view::npos || colon == std::string_view::npos || colon > at) return false;
    std::string_view number = text.substr(colon + 2, at - colon - 2);
    const std::int64_t percent = take_integer(number);
    if (percent < 0 || !number.empty()) return false;
    advance(std::min(percent, kPercentTotal), kPercentTotal);
    failed_ = failed_ || starts_with(text.substr(at + kComplete.size()), "failed");
    return true;
  }

  [[nodiscard]] bool is_whole(std::string_view text) const override {
    return ends_with(text, kComplete);
  }

  [[nodiscard]] std::optional<Severity> severity_of(Stream stream,
                                                    std::string_view text) const override {
    if (starts_with(text, "rbd: ")) return Severity::error;
    if (stream == Stream::err) return Severity::info;
    return std::nullopt;
  }

  // A script around rbd may end with 0 all the same.
  void refine(ExitStatus, Terminal& end) override {
    if (end.outcome != Outcome::durable) return;
    if (!failed_) return advance(kPercentTotal, kPercentTotal);  // also after --no-progress
    end.outcome = Outcome::failed;
    end.err = "rbd: exit status 0, but rbd said that it failed";
    if (!words().empty()) end.err = clean_utf8(end.err + ": " + words(), kMaxErrBytes);
  }

 private:
  bool failed_ = false;
};

}  // namespace

std::unique_ptr<ToolParser> make_rbd_parser(const std::vector<std::string>&) {
  return std::make_unique<RbdParser>();
}

}  // namespace plimsoll
