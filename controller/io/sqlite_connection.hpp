// sqlite_connection.hpp - one SQLite connection and its prepared statements, owned and with errors
// as Result. Store thread only. Knows nothing of what is stored.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "schemas/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace plimsoll {

// A prepared statement. Parameters count from 1, columns from 0, as in SQL and in the library.
// Must be destroyed before its connection.
class SqliteStatement {
 public:
  SqliteStatement() = default;
  explicit SqliteStatement(sqlite3_stmt* statement) : statement_(statement) {}
  SqliteStatement(SqliteStatement&& other) noexcept;
  SqliteStatement& operator=(SqliteStatement&& other) noexcept;
  ~SqliteStatement();

  // Binding cannot fail but for a wrong number, which is a programmer's mistake (checked).
  // Text is copied.
  void bind(int parameter, std::int64_t value);
  void bind(int parameter, double value);
  void bind(int parameter, std::string_view text);
  void bind_null(int parameter);

  // true: a row is there; false: done. On failure the statement is reset.
  [[nodiscard]] Result<bool> step();
  // For statements without rows: steps once, resets, clears bindings and gives the changed rows.
  [[nodiscard]] Result<int> run();
  void reset();

  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] bool is_null(int column) const;

 private:
  sqlite3_stmt* statement_ = nullptr;
};

class SqliteConnection {
 public:
  SqliteConnection() = default;  // closed
  // Opens an existing file (never makes one) for reading and writing, without waiting for locks.
  // permission: it may only be read.
  static Result<SqliteConnection> open(const std::string& path);
  SqliteConnection(SqliteConnection&& other) noexcept;
  SqliteConnection& operator=(SqliteConnection&& other) noexcept;
  ~SqliteConnection();

  // One or more statements without results.
  [[nodiscard]] Result<void> execute(const std::string& sql);
  [[nodiscard]] Result<SqliteStatement> prepare(std::string_view sql);
  // First column of the first row, as text; "" without rows.
  [[nodiscard]] Result<std::string> query_text(std::string_view sql);
  [[nodiscard]] Result<std::int64_t> query_integer(std::string_view sql);

 private:
  explicit SqliteConnection(sqlite3* connection) : connection_(connection) {}
  sqlite3* connection_ = nullptr;
};

}  // namespace plimsoll
