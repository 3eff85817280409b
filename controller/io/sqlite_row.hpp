// sqlite_row.hpp - writes and reads a row column by column, in the order of the statement. Header
// only.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "controller/io/sqlite_connection.hpp"
#include "schemas/time.hpp"

namespace plimsoll {

class RowWriter {
 public:
  explicit RowWriter(SqliteStatement& statement) : statement_(statement) {}

  RowWriter& text(std::string_view value) {
    statement_.bind(next_++, value);
    return *this;
  }
  RowWriter& integer(std::int64_t value) {
    statement_.bind(next_++, value);
    return *this;
  }
  // Unsigned 64 bit keep their bits.
  RowWriter& bits(std::uint64_t value) { return integer(static_cast<std::int64_t>(value)); }
  template <typename Enum>
  RowWriter& choice(Enum value) {
    return integer(static_cast<std::int64_t>(value));
  }
  RowWriter& real(double value) {
    // SQLite would store NaN as NULL; unknown is -1 everywhere.
    statement_.bind(next_++, std::isfinite(value) ? value : -1.0);
    return *this;
  }
  RowWriter& wall(const std::optional<WallTime>& value) {
    if (value) return integer(value->time_since_epoch().count());
    return null();
  }
  RowWriter& optional_text(const std::optional<std::string>& value) {
    if (value) return text(*value);
    return null();
  }

 private:
  RowWriter& null() {
    statement_.bind_null(next_++);
    return *this;
  }
  SqliteStatement& statement_;
  int next_ = 1;
};

// Remembers whether any value was one that no version of ours writes.
class RowReader {
 public:
  explicit RowReader(const SqliteStatement& statement) : statement_(statement) {}

  std::string text() { return statement_.text(next_++); }
  std::int64_t integer() { return statement_.integer(next_++); }
  std::uint64_t bits() { return static_cast<std::uint64_t>(integer()); }
  bool flag() { return integer() != 0; }
  double real() { return statement_.real(next_++); }
  std::uint32_t number() {
    const auto value = integer();
    if (value < 0 || value > UINT32_MAX) bad_ = true;
    return static_cast<std::uint32_t>(value);
  }
  template <typename Enum>
  Enum choice(Enum last) {
    const auto value = integer();
    if (value < 0 || value > static_cast<std::int64_t>(last)) bad_ = true;
    return static_cast<Enum>(value);
  }
  std::optional<WallTime> wall() {
    if (statement_.is_null(next_)) return skip();
    return WallTime(milliseconds(integer()));
  }
  // `parse` turns the text into std::optional<T>; nothing = bad.
  template <typename Parse>
  auto parsed(Parse parse) {
    auto value = parse(text());
    if (!value) bad_ = true;
    return value ? std::move(*value) : typename decltype(value)::value_type{};
  }
  // The same, but NULL is nothing.
  template <typename Parse>
  auto optionally_parsed(Parse parse) -> decltype(parse(std::string())) {
    if (statement_.is_null(next_)) return skip();
    auto value = parse(text());
    if (!value) bad_ = true;
    return value;
  }

  void refuse() { bad_ = true; }
  [[nodiscard]] bool bad() const { return bad_; }

 private:
  std::nullopt_t skip() {
    ++next_;
    return std::nullopt;
  }
  const SqliteStatement& statement_;
  int next_ = 0;
  bool bad_ = false;
};

}  // namespace plimsoll
