// store_rows.cpp - the order of columns is that of the tables (migrations.cpp).
#include "controller/io/store_rows.hpp"

#include "controller/io/record_json.hpp"

namespace plimsoll::store_rows {
namespace {

// A boot id; all zero where no agent has said one yet.
BootId read_boot(RowReader& row) {
  return row.parsed([](const std::string& text) { return id_from_hex<BootId>(text); });
}

}  // namespace

// Phases 1, 5, 6 and 7 are over (backup_phase.hpp): from there only Deleting (8) is left, and from
// Deleting nothing. A failure that was latched stays.
const std::string_view kPutBackup = R"sql(
INSERT INTO backups VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
ON CONFLICT (uid) DO UPDATE SET
  name=excluded.name, seal=excluded.seal, source=excluded.source, owner_uid=excluded.owner_uid,
  run_by_controller=excluded.run_by_controller, phase=excluded.phase,
  failed_latched=excluded.failed_latched, items_fixed=excluded.items_fixed,
  outcome=excluded.outcome, allow_empty=excluded.allow_empty, created_ms=excluded.created_ms,
  started_ms=excluded.started_ms, completed_ms=excluded.completed_ms, errors=excluded.errors,
  warnings=excluded.warnings, timers=excluded.timers
WHERE (phase = excluded.phase OR (phase IN (1,5,6,7) AND excluded.phase = 8)
       OR phase NOT IN (1,5,6,7,8))
  AND failed_latched <= excluded.failed_latched)sql";

const std::string_view kListBackups = "SELECT * FROM backups ORDER BY uid";

void write(RowWriter row, const BackupRecord& record) {
  row.text(record.uid)
      .text(record.name)
      .choice(record.seal)
      .choice(record.source)
      .integer(record.owner_uid)
      .integer(record.run_by_controller)
      .choice(record.phase)
      .integer(record.failed_latched)
      .integer(record.items_fixed)
      .choice(record.outcome)
      .integer(record.allow_empty)
      .wall(record.created)
      .wall(record.started)
      .wall(record.completed)
      .text(record_json::write(record.errors))
      .text(record_json::write(record.warnings))
      .text(record_json::write(record.timers));
}

void read(RowReader& row, BackupRecord& record) {
  record.uid = row.text();
  record.name = row.text();
  record.seal = row.choice(SealMode::auto_);
  record.source = row.choice(BackupSource::api);
  record.owner_uid = row.number();
  record.run_by_controller = row.flag();
  record.phase = row.choice(BackupPhase::deleting);
  record.failed_latched = row.flag();
  record.items_fixed = row.flag();
  record.outcome = row.choice(SealOutcome::failed);
  record.allow_empty = row.flag();
  record.created = row.wall();
  record.started = row.wall();
  record.completed = row.wall();
  record.errors = row.parsed(record_json::read_messages);
  record.warnings = row.parsed(record_json::read_messages);
  record.timers = row.parsed(record_json::read_timers);
}

// How an upload ended never changes.
const std::string_view kPutUpload = R"sql(
INSERT INTO uploads VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)
ON CONFLICT (id) DO UPDATE SET
  backup_uid=excluded.backup_uid, item=excluded.item, snapshot_id=excluded.snapshot_id,
  volume_id=excluded.volume_id, parts=excluded.parts, tracker=excluded.tracker,
  owner_uid=excluded.owner_uid, created_ms=excluded.created_ms, cancel=excluded.cancel,
  timed_out=excluded.timed_out, ended=excluded.ended, timers=excluded.timers
WHERE ended IS NULL OR ended = excluded.ended)sql";

const std::string_view kListUploads = "SELECT * FROM uploads ORDER BY id";

void write(RowWriter row, const UploadRecord& record) {
  row.text(record.id)
      .text(record.backup_uid)
      .text(record.item)
      .text(record.snapshot_id)
      .text(record.volume_id)
      .integer(record.parts)
      .text(record.tracker)
      .integer(record.owner_uid)
      .wall(record.created)
      .optional_text(record_json::write(record.cancel))
      .integer(record.timed_out)
      .optional_text(record_json::write(record.end))
      .text(record_json::write(record.timers));
}

void read(RowReader& row, UploadRecord& record) {
  record.id = row.text();
  record.backup_uid = row.text();
  record.item = row.text();
  record.snapshot_id = row.text();
  record.volume_id = row.text();
  record.parts = row.number();
  record.tracker = row.text();
  record.owner_uid = row.number();
  record.created = row.wall();
  record.cancel = row.optionally_parsed(record_json::read_cancel);
  record.timed_out = row.flag();
  record.end = row.optionally_parsed(record_json::read_upload_end);
  record.timers = row.parsed(record_json::read_timers);
}

// A terminal is latched, and a segment once bound to an upload stays bound.
const std::string_view kPutAttempt = R"sql(
INSERT INTO attempts VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
ON CONFLICT (segment) DO UPDATE SET
  upload_id=excluded.upload_id, orphan_reason=excluded.orphan_reason, ordinal=excluded.ordinal,
  born_dead=excluded.born_dead, node=excluded.node, boot=excluded.boot, domain=excluded.domain,
  owner_uid=excluded.owner_uid, identity=excluded.identity, seq=excluded.seq,
  sample=excluded.sample, state=excluded.state, reason=excluded.reason,
  since_ms=excluded.since_ms, started_ms=excluded.started_ms, updated_ms=excluded.updated_ms,
  rate=excluded.rate, lost_cause=excluded.lost_cause, retrieval_error=excluded.retrieval_error,
  terminal=excluded.terminal, given_up=excluded.given_up, began_ms=excluded.began_ms,
  timers=excluded.timers
WHERE (terminal IS NULL OR terminal = excluded.terminal)
  AND (upload_id = '' OR upload_id = excluded.upload_id))sql";

const std::string_view kListAttempts = "SELECT * FROM attempts ORDER BY segment";

void write(RowWriter row, const AttemptRecord& record) {
  row.text(to_hex(record.segment))
      .text(record.upload_id)
      .text(record.orphan_reason)
      .integer(record.ordinal)
      .integer(record.born_dead)
      .text(record.node)
      .text(to_hex(record.boot))
      .text(record.domain)
      .integer(record.owner_uid)
      .text(record_json::write(record.identity))
      .bits(record.seq)
      .text(record_json::write(record.sample))
      .choice(record.state)
      .text(record.reason)
      .wall(record.since)
      .wall(record.started)
      .wall(record.updated)
      .real(record.rate)
      .choice(record.lost_cause)
      .optional_text(record_json::write(record.retrieval_error))
      .optional_text(record_json::write(record.terminal))
      .integer(record.given_up)
      .wall(record.began)
      .text(record_json::write(record.timers));
}

void read(RowReader& row, AttemptRecord& record) {
  record.segment = row.parsed([](const std::string& text) { return id_from_hex<SegmentId>(text); });
  record.upload_id = row.text();
  record.orphan_reason = row.text();
  record.ordinal = row.number();
  record.born_dead = row.flag();
  record.node = row.text();
  record.boot = read_boot(row);
  record.domain = row.text();
  record.owner_uid = row.number();
  record.identity = row.parsed(record_json::read_identity);
  record.seq = row.bits();
  record.sample = row.parsed(record_json::read_sample);
  record.state = row.choice(AttemptState::unreadable);
  record.reason = row.text();
  record.since = row.wall();
  record.started = row.wall();
  record.updated = row.wall();
  record.rate = row.real();
  record.lost_cause = row.choice(LostCause::no_word);
  record.retrieval_error = row.optionally_parsed(record_json::read_retrieval_error);
  record.terminal = row.optionally_parsed(record_json::read_terminal);
  record.given_up = row.flag();
  record.began = row.wall();
  record.timers = row.parsed(record_json::read_timers);
}

// Sessions of a node only grow: an older one must never come back.
const std::string_view kPutNode = R"sql(
INSERT INTO nodes VALUES (?,?,?,?,?,?,?)
ON CONFLICT (name) DO UPDATE SET
  boot=excluded.boot, session=excluded.session, agent_version=excluded.agent_version,
  lost_after_ns=excluded.lost_after_ns, last_heard_ms=excluded.last_heard_ms,
  timers=excluded.timers
WHERE session <= excluded.session)sql";

const std::string_view kListNodes = "SELECT * FROM nodes ORDER BY name";

void write(RowWriter row, const NodeRecord& record) {
  row.text(record.name)
      .text(to_hex(record.boot))
      .bits(record.session)
      .text(record.agent_version)
      .integer(record.lost_after.count())
      .wall(record.last_heard)
      .text(record_json::write(record.timers));
}

void read(RowReader& row, NodeRecord& record) {
  record.name = row.text();
  record.boot = read_boot(row);
  record.session = row.bits();
  record.agent_version = row.text();
  record.lost_after = Duration(row.integer());
  record.last_heard = row.wall();
  record.timers = row.parsed(record_json::read_timers);
}

const std::string_view kPutTombstone = R"sql(
INSERT INTO tombstones VALUES (?,?,?,?,?)
ON CONFLICT (uid) DO UPDATE SET
  name=excluded.name, deleted_at_ms=excluded.deleted_at_ms, left_behind=excluded.left_behind,
  timers=excluded.timers)sql";

const std::string_view kListTombstones = "SELECT * FROM tombstones ORDER BY uid";

void write(RowWriter row, const TombstoneRecord& record) {
  row.text(record.uid)
      .text(record.name)
      .wall(record.deleted_at)
      .text(record_json::write(record.left_behind))
      .text(record_json::write(record.timers));
}

void read(RowReader& row, TombstoneRecord& record) {
  record.uid = row.text();
  record.name = row.text();
  record.deleted_at = row.wall();
  record.left_behind = row.parsed(record_json::read_left_behind);
  record.timers = row.parsed(record_json::read_timers);
}

}  // namespace plimsoll::store_rows
