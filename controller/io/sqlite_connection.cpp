// sqlite_connection.cpp - the wrapper and the one mapping from SQLite's result codes to ErrorCode.
#include "controller/io/sqlite_connection.hpp"

#include <sqlite3.h>

#include <cerrno>
#include <utility>

namespace plimsoll {
namespace {

// Codes that mean one thing wherever they come from; the rest is a fault of ours.
ErrorCode code_of(int result, int system_errno) {
  switch (result & 0xFF) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return ErrorCode::corrupt;
    case SQLITE_FULL:
      return ErrorCode::no_space;
    case SQLITE_IOERR:
      return system_errno == ENOSPC || system_errno == EDQUOT ? ErrorCode::no_space
                                                              : ErrorCode::store_io;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return ErrorCode::permission;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ErrorCode::address_in_use;
    case SQLITE_CANTOPEN:
      return system_errno == EACCES || system_errno == EPERM ? ErrorCode::permission
                                                             : ErrorCode::cannot_create;
    default:
      return ErrorCode::internal;
  }
}

std::string hint_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::address_in_use:
      return "another process has the store open; stop it first";
    case ErrorCode::no_space:
      return "free space on the disk of the state directory";
    case ErrorCode::corrupt:
      return "restore the store from a backup; it is never recreated";
    default:
      return "";
  }
}

Failure failure(sqlite3* connection, int result, const std::string& operation) {
  const auto code = code_of(result, connection ? sqlite3_system_errno(connection) : 0);
  const std::string cause = connection ? sqlite3_errmsg(connection) : sqlite3_errstr(result);
  return fail(code, operation + ": " + cause + " (" + sqlite3_errstr(result) + ")", hint_of(code));
}

}  // namespace

SqliteStatement::SqliteStatement(SqliteStatement&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)) {}

SqliteStatement& SqliteStatement::operator=(SqliteStatement&& other) noexcept {
  std::swap(statement_, other.statement_);
  return *this;
}

SqliteStatement::~SqliteStatement() {
  sqlite3_finalize(statement_);
}

void SqliteStatement::bind(int parameter, std::int64_t value) {
  PLIMSOLL_CHECK(sqlite3_bind_int64(statement_, parameter, value) == SQLITE_OK);
}

void SqliteStatement::bind(int parameter, double value) {
  PLIMSOLL_CHECK(sqlite3_bind_double(statement_, parameter, value) == SQLITE_OK);
}

void SqliteStatement::bind(int parameter, std::string_view text) {
  // A null pointer would bind NULL; an empty text is a text.
  const char* data = text.data() == nullptr ? "" : text.data();
  PLIMSOLL_CHECK(sqlite3_bind_text(statement_, parameter, data, static_cast<int>(text.size()),
                                   SQLITE_TRANSIENT) == SQLITE_OK);
}

void SqliteStatement::bind_null(int parameter) {
  PLIMSOLL_CHECK(sqlite3_bind_null(statement_, parameter) == SQLITE_OK);
}

Result<bool> SqliteStatement::step() {
  const int result = sqlite3_step(statement_);
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  auto error = failure(sqlite3_db_handle(statement_), result, "run a statement of the store");
  reset();
  return error;
}

Result<int> SqliteStatement::run() {
  const auto stepped = step();
  if (!stepped) return fail(stepped.error());
  const int changed = sqlite3_changes(sqlite3_db_handle(statement_));
  reset();
  return changed;
}

void SqliteStatement::reset() {
  // Both only repeat what step() already said.
  (void)sqlite3_reset(statement_);
  (void)sqlite3_clear_bindings(statement_);
}

std::int64_t SqliteStatement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

double SqliteStatement::real(int column) const {
  return sqlite3_column_double(statement_, column);
}

std::string SqliteStatement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (data == nullptr) return "";
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

bool SqliteStatement::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

Result<SqliteConnection> SqliteConnection::open(const std::string& path) {
  const std::string operation = "open store '" + path + "'";
  sqlite3* connection = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
  const int result = sqlite3_open_v2(path.c_str(), &connection, flags, nullptr);
  SqliteConnection opened(connection);  // also a failed open must be closed
  if (result != SQLITE_OK) return failure(connection, result, operation);
  (void)sqlite3_extended_result_codes(connection, 1);
  (void)sqlite3_busy_timeout(connection, 0);
  if (sqlite3_db_readonly(connection, "main") == 1)
    return fail(ErrorCode::permission, operation + ": it may only be read",
                "the store and its directory must belong to the controller's user");
  return opened;
}

SqliteConnection::SqliteConnection(SqliteConnection&& other) noexcept
    : connection_(std::exchange(other.connection_, nullptr)) {}

SqliteConnection& SqliteConnection::operator=(SqliteConnection&& other) noexcept {
  std::swap(connection_, other.connection_);
  return *this;
}

SqliteConnection::~SqliteConnection() {
  (void)sqlite3_close_v2(connection_);
}

Result<void> SqliteConnection::execute(const std::string& sql) {
  const int result = sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr);
  if (result == SQLITE_OK) return {};
  return failure(connection_, result, "store: " + sql.substr(0, sql.find_first_of("(\n;")));
}

Result<SqliteStatement> SqliteConnection::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int result = sqlite3_prepare_v3(connection_, sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (result != SQLITE_OK) return failure(connection_, result, "prepare a statement of the store");
  return SqliteStatement(statement);
}

Result<std::string> SqliteConnection::query_text(std::string_view sql) {
  auto statement = prepare(sql);
  if (!statement) return fail(statement.error());
  const auto row = statement->step();
  if (!row) return fail(row.error());
  return *row ? statement->text(0) : std::string();
}

Result<std::int64_t> SqliteConnection::query_integer(std::string_view sql) {
  auto statement = prepare(sql);
  if (!statement) return fail(statement.error());
  const auto row = statement->step();
  if (!row) return fail(row.error());
  return *row ? statement->integer(0) : 0;
}

}  // namespace plimsoll
