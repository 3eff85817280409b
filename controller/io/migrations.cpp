// migrations.cpp - the SQL of each version.
//
// Nested values (timers, identity, sample, …) are JSON texts (record_json.hpp): they are read and
// written whole, never searched. Times are Unix milliseconds, NULL = unknown; ids are hex.
#include "controller/io/migrations.hpp"

#include <string>

namespace plimsoll {

const std::array<std::string_view, 1> kMigrations = {R"sql(
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE backups (
  uid               TEXT PRIMARY KEY,
  name              TEXT NOT NULL UNIQUE,
  seal              INTEGER NOT NULL,
  source            INTEGER NOT NULL,
  owner_uid         INTEGER NOT NULL,
  run_by_controller INTEGER NOT NULL,
  phase             INTEGER NOT NULL,
  failed_latched    INTEGER NOT NULL,
  items_fixed       INTEGER NOT NULL,
  outcome           INTEGER NOT NULL,
  allow_empty       INTEGER NOT NULL,
  created_ms        INTEGER,
  started_ms        INTEGER,
  completed_ms      INTEGER,
  errors            TEXT NOT NULL,
  warnings          TEXT NOT NULL,
  timers            TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE uploads (
  id            TEXT PRIMARY KEY,
  backup_uid    TEXT NOT NULL,
  item          TEXT NOT NULL,
  snapshot_id   TEXT NOT NULL,
  volume_id     TEXT NOT NULL,
  parts         INTEGER NOT NULL,
  tracker       TEXT NOT NULL,
  owner_uid     INTEGER NOT NULL,
  created_ms    INTEGER,
  cancel        TEXT,
  timed_out     INTEGER NOT NULL,
  ended         TEXT,
  timers        TEXT NOT NULL,
  UNIQUE (backup_uid, item)
) STRICT, WITHOUT ROWID;

CREATE TABLE attempts (
  segment         TEXT PRIMARY KEY,
  upload_id       TEXT NOT NULL,
  orphan_reason   TEXT NOT NULL,
  ordinal         INTEGER NOT NULL,
  born_dead       INTEGER NOT NULL,
  node            TEXT NOT NULL,
  boot            TEXT NOT NULL,
  domain          TEXT NOT NULL,
  owner_uid       INTEGER NOT NULL,
  identity        TEXT NOT NULL,
  seq             INTEGER NOT NULL,
  sample          TEXT NOT NULL,
  state           INTEGER NOT NULL,
  reason          TEXT NOT NULL,
  since_ms        INTEGER,
  started_ms      INTEGER,
  updated_ms      INTEGER,
  rate            REAL NOT NULL,
  lost_cause      INTEGER NOT NULL,
  retrieval_error TEXT,
  terminal        TEXT,
  given_up        INTEGER NOT NULL,
  began_ms        INTEGER,
  timers          TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX attempts_by_upload ON attempts (upload_id);

CREATE TABLE nodes (
  name          TEXT PRIMARY KEY,
  boot          TEXT NOT NULL,
  session       INTEGER NOT NULL,
  agent_version TEXT NOT NULL,
  lost_after_ns INTEGER NOT NULL,
  last_heard_ms INTEGER,
  timers        TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE tombstones (
  uid           TEXT PRIMARY KEY,
  name          TEXT NOT NULL,
  deleted_at_ms INTEGER,
  left_behind   TEXT NOT NULL,
  timers        TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- history_of: the upload's id, or the segment while it is an orphan.
CREATE TABLE events (
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  history_of TEXT NOT NULL,
  segment    TEXT NOT NULL,
  severity   INTEGER NOT NULL,
  text       TEXT NOT NULL,
  at_ms      INTEGER NOT NULL,
  UNIQUE (segment, at_ms, severity, text)
) STRICT;
CREATE INDEX events_by_history ON events (history_of, at_ms, number);
)sql"};

int newest_store_version() {
  return static_cast<int>(kMigrations.size());
}

Result<void> migrate(SqliteConnection& connection) {
  const auto version = connection.query_integer("PRAGMA user_version");
  if (!version) return fail(version.error());
  if (*version < 0 || *version > newest_store_version())
    return fail(ErrorCode::unsupported,
                "it has version " + std::to_string(*version) + ", this controller knows up to " +
                    std::to_string(newest_store_version()),
                "start the newer controller that wrote it");
  for (auto step = static_cast<std::size_t>(*version); step < kMigrations.size(); ++step) {
    const auto sql = "BEGIN IMMEDIATE;" + std::string(kMigrations.at(step)) +
                     "PRAGMA user_version=" + std::to_string(step + 1) + ";COMMIT;";
    if (auto done = connection.execute(sql); !done) {
      (void)connection.execute("ROLLBACK");  // may be over already
      return done;
    }
  }
  return {};
}

}  // namespace plimsoll
