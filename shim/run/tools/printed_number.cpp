// printed_number.cpp - see printed_number.hpp.
#include "shim/run/tools/printed_number.hpp"

#include <algorithm>
#include <array>

namespace plimsoll {

namespace {

constexpr int kMaxFractionDigits = 3;
constexpr std::string_view kUnitLetters = "KMGTPE";
// Plain ones, then U+00A0, U+202F, U+2009 and U+2019.
constexpr std::array<std::string_view, 8> kGroupMarks = {
    ",", ".", "'", " ", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89", "\xe2\x80\x99"};

std::size_t digits_at(std::string_view text) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count]))
    ++count;
  return count;
}

std::int64_t add_digits(std::int64_t value, std::string_view digits) {
  for (const char digit : digits) {
    if (value > (kMaxCount - 9) / 10) return kMaxCount;
    value = value * 10 + (digit - '0');
  }
  return value;
}

// The mark that stands before exactly three digits at the front of `text`; "" if none does.
std::string_view group_mark(std::string_view text) {
  for (const std::string_view mark : kGroupMarks) {
    if (text.substr(0, mark.size()) != mark) continue;
    if (digits_at(text.substr(mark.size())) == 3) return mark;
  }
  return "";
}

// Up to three digits behind a decimal mark, in thousandths; takes all there are.
std::int64_t take_thousandths(std::string_view& text) {
  if (text.size() < 2 || (text[0] != '.' && text[0] != ',') || !is_digit(text[1])) return 0;
  text.remove_prefix(1);
  std::int64_t value = 0;
  const std::size_t count = digits_at(text);
  for (std::size_t at = 0; at < kMaxFractionDigits; ++at)
    value = value * 10 + (at < count ? text[at] - '0' : 0);
  text.remove_prefix(count);
  return value;
}

// 1 if no unit stands here.
std::int64_t take_unit(std::string_view& text, SizeBase base) {
  std::string_view rest = text;
  if (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  if (eat(rest, "Bytes") || eat(rest, "B")) {
    text = rest;
    return 1;
  }
  if (rest.empty()) return 1;
  const char letter = rest.front() == 'k' ? 'K' : rest.front();
  const std::size_t power = kUnitLetters.find(letter);
  if (power == std::string_view::npos) return 1;
  rest.remove_prefix(1);
  const bool binary = eat(rest, "i") || base == SizeBase::binary;
  (void)eat(rest, "B");
  text = rest;
  std::int64_t unit = 1;
  for (std::size_t at = 0; at <= power; ++at)
    unit *= binary ? 1024 : 1000;
  return unit;
}

std::int64_t scaled(std::int64_t whole, std::int64_t thousandths, std::int64_t unit) {
  if (whole > kMaxCount / unit) return kMaxCount;
  // A unit is below 2^61: its thousandth and the remainder are multiplied apart.
  const std::int64_t part = thousandths * (unit / 1000) + thousandths * (unit % 1000) / 1000;
  const std::int64_t value = whole * unit;
  return value > kMaxCount - part ? kMaxCount : value + part;
}

}  // namespace

std::int64_t take_grouped(std::string_view& text) {
  const std::size_t first = digits_at(text);
  std::int64_t value = take_integer(text);
  if (value < 0 || first > 3) return value;
  const std::string_view mark = group_mark(text);  // one kind of mark in one number
  while (!mark.empty() && text.substr(0, mark.size()) == mark &&
         digits_at(text.substr(mark.size())) == 3) {
    value = add_digits(value, text.substr(mark.size(), 3));
    text.remove_prefix(mark.size() + 3);
  }
  return value;
}

std::int64_t take_size(std::string_view& text, SizeBase base) {
  const std::int64_t whole = take_integer(text);
  if (whole < 0) return -1;
  const std::int64_t thousandths = take_thousandths(text);
  return scaled(whole, thousandths, take_unit(text, base));
}

}  // namespace plimsoll
