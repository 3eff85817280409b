// record_splitter.hpp - a tool's bytes cut into records, however they arrive and whatever parts
// them. Tools end a record with \n or \r, begin one with \r, or do both; so both split, and empty
// pieces are nothing. Escape codes appear off a terminal too ("ESC[2K" before an object): CSI
// sequences are removed. Never holds more than kMaxRecordBytes; one splitter per stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace plimsoll {

inline constexpr std::size_t kMaxRecordBytes = 64 * 1024;

struct Record {
  std::string_view text;   // valid during the call only; never empty, without separators and CSI
  bool truncated = false;  // it was longer than the bound: `text` is its beginning
};

class RecordSplitter {
 public:
  using Take = std::function<void(const Record&)>;

  explicit RecordSplitter(std::size_t max_bytes = kMaxRecordBytes) : max_bytes_(max_bytes) {}

  // Hands every record that `bytes` completes to `take`, in order.
  void feed(std::string_view bytes, const Take& take);

  // The end of the stream: hands over what no separator has ended, if there is anything.
  void finish(const Take& take);

  [[nodiscard]] std::uint64_t truncated_records() const { return truncated_records_; }
  [[nodiscard]] std::size_t held_bytes() const { return held_.size(); }

  // The beginning of the record that has not ended yet, escape codes and all; until the next call.
  [[nodiscard]] std::string_view held() const { return held_; }

 private:
  void keep(std::string_view piece);
  void emit(std::string_view piece, const Take& take);

  std::size_t max_bytes_;
  std::string held_;       // the beginning of a record that has not ended yet
  std::string stripped_;   // scratch for records with escape codes
  bool overflow_ = false;  // held_ is full: the rest of this record is dropped
  std::uint64_t truncated_records_ = 0;
};

// `text` without its CSI sequences (ESC [ parameters final); an unfinished one at the end goes too.
[[nodiscard]] std::string strip_csi(std::string_view text);

}  // namespace plimsoll
