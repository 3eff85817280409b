// sqlite_store.cpp - opening, loading, committing. What the rows look like: store_rows.cpp.
#include "controller/io/sqlite_store.hpp"

#include <sys/random.h>

#include <cerrno>
#include <set>
#include <utility>

#include "controller/io/migrations.hpp"
#include "controller/io/sqlite_connection.hpp"
#include "controller/io/store_file.hpp"
#include "controller/io/store_rows.hpp"
#include "runtime/errno_error.hpp"

namespace plimsoll {

// The connection first, so that it is closed after every statement was finalized.
struct SqliteStore::Statements {
  SqliteConnection connection;
  SqliteStatement put_backup, put_upload, put_attempt, put_node, put_tombstone;
  SqliteStatement add_event, prune_events, adopt_events, read_events;
  SqliteStatement delete_backup_events, delete_backup_attempts, delete_backup_uploads,
      delete_backup;
  SqliteStatement delete_attempt_events, delete_attempt, delete_tombstone;
  std::set<std::string> touched_histories;  // of the commit under way: to be pruned at its end
};

namespace {

constexpr std::string_view kAddEvent =
    "INSERT OR IGNORE INTO events (history_of, segment, severity, text, at_ms) VALUES (?,?,?,?,?)";
// By the producers' time first: an old event that is reported again must not displace a newer one.
constexpr std::string_view kPruneEvents =
    "DELETE FROM events WHERE history_of = ?1 AND number NOT IN (SELECT number FROM events "
    "WHERE history_of = ?1 ORDER BY at_ms DESC, number DESC LIMIT ?2)";
constexpr std::string_view kReadEvents =
    "SELECT severity, text, at_ms FROM events WHERE history_of = ? ORDER BY at_ms, number";
constexpr std::string_view kUploadsOfBackup = "(SELECT id FROM uploads WHERE backup_uid = ?)";

std::string history_key(const std::string& upload_id, const SegmentId& segment) {
  return upload_id.empty() ? to_hex(segment) : upload_id;
}

Result<void> fill_new_store(const std::string& path) {
  StoreId id;
  if (::getrandom(&id, sizeof id, 0) != static_cast<ssize_t>(sizeof id))
    return errno_failure("draw a store id", errno);
  auto connection = SqliteConnection::open(path);
  if (!connection) return fail(connection.error());
  auto done = connection->execute("PRAGMA application_id=" + std::to_string(kStoreApplicationId));
  if (done) done = migrate(*connection);
  if (done)
    done = connection->execute("INSERT INTO meta VALUES ('store_id', '" + to_hex(id) + "')");
  return done;
}

// Before the journal mode: in exclusive mode the write-ahead log needs no shared memory, and nobody
// else can read or write beside us.
constexpr const char* kPragmas =
    "PRAGMA trusted_schema=OFF;"
    "PRAGMA cell_size_check=ON;"
    "PRAGMA mmap_size=0;"
    "PRAGMA locking_mode=EXCLUSIVE;"
    "PRAGMA synchronous=FULL;"
    "PRAGMA journal_size_limit=67108864;";

Result<void> check_integrity(SqliteConnection& connection) {
  const auto verdict = connection.query_text("PRAGMA quick_check(1)");
  if (!verdict) return fail(verdict.error());
  if (*verdict == "ok") return {};
  return fail(ErrorCode::corrupt, *verdict,
              "restore the store from a backup; it is never recreated");
}

Result<void> enter_wal_mode(SqliteConnection& connection) {
  const auto mode = connection.query_text("PRAGMA journal_mode=WAL");
  if (!mode) return fail(mode.error());
  if (*mode != "wal")
    return fail(ErrorCode::store_io, "the file system refuses a write-ahead log",
                "put the state directory on a local file system");
  return {};
}

Result<SqliteConnection> open_checked(const std::string& path) {
  auto connection = SqliteConnection::open(path);
  if (!connection) return connection;
  auto done = connection->execute(kPragmas);
  if (done) done = check_integrity(*connection);
  if (done) done = enter_wal_mode(*connection);
  if (done) done = migrate(*connection);
  if (done) return connection;
  auto error = done.error();
  error.message = "open store '" + path + "': " + error.message;
  return fail(std::move(error));
}

// Changed rows must be one: zero means that a guard in the statement held.
Result<void> expect_one_row(SqliteStatement& statement, const char* what) {
  const auto changed = statement.run();
  if (!changed) return fail(changed.error());
  if (*changed == 1) return {};
  return fail(ErrorCode::internal,
              std::string("commit: it would change ") + what + " that never changes again");
}

Result<void> run_with_key(SqliteStatement& statement, const std::string& key) {
  statement.bind(1, key);
  const auto changed = statement.run();
  if (!changed) return fail(changed.error());
  return {};
}

template <typename Record>
Result<void> list_into(SqliteConnection& connection, std::string_view sql,
                       std::vector<Record>& records) {
  auto statement = connection.prepare(sql);
  if (!statement) return fail(statement.error());
  while (true) {
    const auto row = statement->step();
    if (!row) return fail(row.error());
    if (!*row) return {};
    RowReader reader(*statement);
    store_rows::read(reader, records.emplace_back());
    if (reader.bad())
      return fail(ErrorCode::corrupt,
                  "load the store: a row of '" + std::string(sql.substr(14)) + "' makes no sense",
                  "restore the store from a backup; it is never recreated");
  }
}

}  // namespace

SqliteStore::SqliteStore(std::unique_ptr<Statements> statements)
    : statements_(std::move(statements)) {}

SqliteStore::~SqliteStore() = default;

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const std::string& path) {
  const auto file = inspect_store_file(path, newest_store_version());
  if (!file) return fail(file.error());
  if (*file == StoreFile::missing)
    if (auto made = create_store_file(path, fill_new_store); !made) return fail(made.error());
  auto connection = open_checked(path);
  if (!connection) return fail(connection.error());

  auto statements = std::make_unique<Statements>();
  auto& s = *statements;
  s.connection = std::move(*connection);
  const std::string of_backup(kUploadsOfBackup);
  const std::pair<SqliteStatement*, std::string> all[] = {
      {&s.put_backup, std::string(store_rows::kPutBackup)},
      {&s.put_upload, std::string(store_rows::kPutUpload)},
      {&s.put_attempt, std::string(store_rows::kPutAttempt)},
      {&s.put_node, std::string(store_rows::kPutNode)},
      {&s.put_tombstone, std::string(store_rows::kPutTombstone)},
      {&s.add_event, std::string(kAddEvent)},
      {&s.prune_events, std::string(kPruneEvents)},
      {&s.adopt_events, "UPDATE events SET history_of = ? WHERE segment = ?"},
      {&s.read_events, std::string(kReadEvents)},
      {&s.delete_backup_events, "DELETE FROM events WHERE history_of IN " + of_backup},
      {&s.delete_backup_attempts, "DELETE FROM attempts WHERE upload_id IN " + of_backup},
      {&s.delete_backup_uploads, "DELETE FROM uploads WHERE backup_uid = ?"},
      {&s.delete_backup, "DELETE FROM backups WHERE uid = ?"},
      {&s.delete_attempt_events, "DELETE FROM events WHERE segment = ?"},
      {&s.delete_attempt, "DELETE FROM attempts WHERE segment = ?"},
      {&s.delete_tombstone, "DELETE FROM tombstones WHERE uid = ?"},
  };
  for (const auto& [statement, sql] : all) {
    auto prepared = s.connection.prepare(sql);
    if (!prepared) return fail(prepared.error());
    *statement = std::move(*prepared);
  }
  return std::unique_ptr<SqliteStore>(new SqliteStore(std::move(statements)));
}

Result<LoadedStore> SqliteStore::load() {
  auto& connection = statements_->connection;
  LoadedStore loaded;
  const auto id = connection.query_text("SELECT value FROM meta WHERE key = 'store_id'");
  if (!id) return fail(id.error());
  const auto store_id = id_from_hex<StoreId>(*id);
  if (!store_id) return fail(ErrorCode::corrupt, "load the store: its id is missing");
  loaded.id = *store_id;
  auto done = list_into(connection, store_rows::kListBackups, loaded.backups);
  if (done) done = list_into(connection, store_rows::kListUploads, loaded.uploads);
  if (done) done = list_into(connection, store_rows::kListAttempts, loaded.attempts);
  if (done) done = list_into(connection, store_rows::kListNodes, loaded.nodes);
  if (done) done = list_into(connection, store_rows::kListTombstones, loaded.tombstones);
  if (!done) return fail(done.error());
  return loaded;
}

namespace {

// One write of a batch, inside its transaction.
template <typename Statements>
class Writing {
 public:
  explicit Writing(Statements& statements) : s_(statements) {}

  Result<void> operator()(const PutBackup& put) {
    return put_row(s_.put_backup, put.record, "a backup");
  }
  Result<void> operator()(const PutUpload& put) {
    return put_row(s_.put_upload, put.record, "an upload");
  }
  Result<void> operator()(const PutAttempt& put) {
    return put_row(s_.put_attempt, put.record, "an attempt");
  }
  Result<void> operator()(const PutNode& put) { return put_row(s_.put_node, put.record, "a node"); }
  Result<void> operator()(const PutTombstone& put) {
    return put_row(s_.put_tombstone, put.record, "a tombstone");
  }
  Result<void> operator()(const AddEvents& add) {
    for (const auto& event : add.events) {
      const auto key = history_key(event.upload_id, event.segment);
      RowWriter(s_.add_event)
          .text(key)
          .text(to_hex(event.segment))
          .choice(event.event.severity)
          .text(event.event.text)
          .integer(event.event.at_unix_ms);
      const auto added = s_.add_event.run();
      if (!added) return fail(added.error());
      s_.touched_histories.insert(key);
    }
    return {};
  }
  Result<void> operator()(const AdoptEvents& adopt) {
    s_.adopt_events.bind(1, adopt.upload_id);
    s_.adopt_events.bind(2, to_hex(adopt.segment));
    const auto adopted = s_.adopt_events.run();
    if (!adopted) return fail(adopted.error());
    s_.touched_histories.insert(adopt.upload_id);
    return {};
  }
  Result<void> operator()(const DeleteBackup& gone) {
    auto done = run_with_key(s_.delete_backup_events, gone.uid);
    if (done) done = run_with_key(s_.delete_backup_attempts, gone.uid);
    if (done) done = run_with_key(s_.delete_backup_uploads, gone.uid);
    if (done) done = run_with_key(s_.delete_backup, gone.uid);
    return done;
  }
  Result<void> operator()(const DeleteAttempt& gone) {
    auto done = run_with_key(s_.delete_attempt_events, to_hex(gone.segment));
    if (done) done = run_with_key(s_.delete_attempt, to_hex(gone.segment));
    return done;
  }
  Result<void> operator()(const DeleteTombstone& gone) {
    return run_with_key(s_.delete_tombstone, gone.uid);
  }
  Result<void> prune_histories() {
    for (const auto& key : s_.touched_histories) {
      RowWriter(s_.prune_events).text(key).integer(kMaxEventsPerUpload);
      const auto pruned = s_.prune_events.run();
      if (!pruned) return fail(pruned.error());
    }
    return {};
  }

 private:
  template <typename Record>
  Result<void> put_row(SqliteStatement& statement, const Record& record, const char* what) {
    store_rows::write(RowWriter(statement), record);
    return expect_one_row(statement, what);
  }
  Statements& s_;
};

}  // namespace

Result<void> SqliteStore::commit(std::span<const StoreWrite> writes) {
  auto& connection = statements_->connection;
  if (auto begun = connection.execute("BEGIN IMMEDIATE"); !begun) return begun;
  Writing writing(*statements_);
  statements_->touched_histories.clear();
  Result<void> done;
  for (const auto& write : writes) {
    done = std::visit(writing, write);
    if (!done) break;
  }
  if (done) done = writing.prune_histories();
  if (done) done = connection.execute("COMMIT");
  if (!done) (void)connection.execute("ROLLBACK");  // SQLite may have done it by itself
  return done;
}

Result<std::vector<UploadEvent>> SqliteStore::read_history(const HistoryOf& of) {
  auto& statement = statements_->read_events;
  statement.bind(1, history_key(of.upload_id, of.segment));
  std::vector<UploadEvent> events;
  while (true) {
    const auto row = statement.step();
    if (!row) return fail(row.error());
    if (!*row) break;
    RowReader reader(statement);
    auto& event = events.emplace_back();
    event.severity = reader.choice(Severity::error);
    event.text = reader.text();
    event.at_unix_ms = reader.integer();
  }
  statement.reset();
  return events;
}

}  // namespace plimsoll
