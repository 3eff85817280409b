// record_splitter.cpp - see record_splitter.hpp.
#include "shim/run/record_splitter.hpp"

#include <algorithm>

namespace plimsoll {

namespace {

constexpr char kEscape = '\x1b';

// Index just behind the CSI sequence that begins at `at` (where ESC stands), or `at` if none does.
std::size_t skip_csi(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size() || text[at + 1] != '[') return at;
  std::size_t end = at + 2;
  while (end < text.size() && text[end] >= 0x20 && text[end] <= 0x3f)
    ++end;
  if (end < text.size() && text[end] >= 0x40 && text[end] <= 0x7e) ++end;
  return end;
}

}  // namespace

std::string strip_csi(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = text[at] == kEscape ? skip_csi(text, at) : at;
    if (next == at) clean.push_back(text[at++]);
    at = std::max(at, next);
  }
  return clean;
}

void RecordSplitter::feed(std::string_view bytes, const Take& take) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find_first_of("\r\n");
    if (end == std::string_view::npos) return keep(bytes);
    if (held_.empty()) {
      emit(bytes.substr(0, end), take);
    } else {
      keep(bytes.substr(0, end));
      emit(held_, take);
      held_.clear();
    }
    bytes.remove_prefix(end + 1);
  }
}

void RecordSplitter::finish(const Take& take) {
  emit(held_, take);
  held_.clear();
}

void RecordSplitter::keep(std::string_view piece) {
  const std::size_t room = max_bytes_ - held_.size();
  overflow_ = overflow_ || piece.size() > room;
  held_.append(piece.substr(0, room));
}

void RecordSplitter::emit(std::string_view piece, const Take& take) {
  const bool truncated = overflow_ || piece.size() > max_bytes_;
  overflow_ = false;
  piece = piece.substr(0, max_bytes_);
  if (truncated) ++truncated_records_;
  if (piece.find(kEscape) != std::string_view::npos) {
    stripped_ = strip_csi(piece);
    piece = stripped_;
  }
  if (!piece.empty()) take(Record{piece, truncated});
}

}  // namespace plimsoll
