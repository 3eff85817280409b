// parse_zfs.cpp - `zfs send -v` and `-vP` on stderr: an estimate first, then once a second
// "HH:MM:SS   205M   pool@snap" (-P: tabs and bytes). The count begins anew with each snapshot; the
// estimate can be exceeded.
#include <algorithm>

#include "shim/run/tools/parsers.hpp"
#include "shim/run/tools/printed_number.hpp"
#include "shim/run/tools/text_tool.hpp"

namespace plimsoll {

namespace {

constexpr std::string_view kEstimate = " estimated size is ";

bool take_clock(std::string_view& text) {
  for (const bool last : {false, false, true}) {
    if (text.size() < 2 || take_integer(text) < 0) return false;
    if (!last && !eat(text, ":")) return false;
  }
  return true;
}

bool take_gap(std::string_view& text) {
  const std::size_t before = text.size();
  eat_spaces(text);
  return text.size() < before;
}

class ZfsParser : public TextToolParser {
 public:
  ZfsParser() : TextToolParser("zfs") {}

 protected:
  bool take_progress(std::string_view text) override {
    return take_estimate(text) || take_sent(text);
  }

  [[nodiscard]] std::optional<Severity> severity_of(Stream stream,
                                                    std::string_view text) const override {
    if (starts_with(text, "TIME ") || starts_with(text, "full\t") ||
        starts_with(text, "incremental\t"))
      return std::nullopt;
    if (starts_with(text, "cannot ") || starts_with(text, "internal error")) return Severity::error;
    if (starts_with(text, "warning: ") || starts_with(text, "WARNING: ")) return Severity::warning;
    if (stream == Stream::err) return Severity::info;
    return std::nullopt;
  }

 private:
  // "total estimated size is 19.5T" or "size\t20931"; one snapshot's own estimate is not the whole.
  bool take_estimate(std::string_view text) {
    const std::size_t at = text.rfind(kEstimate);
    const bool exact = eat(text, "size\t") || eat(text, "size ");
    if (!exact && at == std::string_view::npos) return false;
    const bool whole = exact || text.substr(0, at) == "total";
    if (!exact) text.remove_prefix(at + kEstimate.size());
    eat_spaces(text);
    const std::int64_t bytes = take_size(text, SizeBase::binary);
    if (bytes < 0 || !text.empty()) return false;
    if (whole) estimate_ = bytes;
    advance(0, estimate_);
    return true;
  }

  bool take_sent(std::string_view text) {
    if (!take_clock(text) || !take_gap(text)) return false;
    const std::int64_t bytes = take_size(text, SizeBase::binary);
    if (bytes < 0 || !take_gap(text) || text.find('@') == std::string_view::npos) return false;
    if (text != snapshot_) {
      before_ = sample_.completed;
      snapshot_ = text;
    }
    advance(bytes > kMaxCount - before_ ? kMaxCount : before_ + bytes, estimate_);
    sample_.sent = sample_.completed;
    return true;
  }

  std::string snapshot_;       // the one being sent; at most one record long
  std::int64_t before_ = 0;    // bytes of the snapshots before it
  std::int64_t estimate_ = 0;  // 0 = none was said
};

}  // namespace

std::unique_ptr<ToolParser> make_zfs_parser(const std::vector<std::string>&) {
  return std::make_unique<ZfsParser>();
}

}  // namespace plimsoll
