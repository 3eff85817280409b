// laws_test.cpp - random runs of the shipped step(): requests, reports true and rogue, restarts,
// failing commits, time. After every event the laws of docs/design.md are checked against what the
// store held before and holds now.
#include <rapidcheck/catch.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>

#include "controller/core/backups/expected_uploads.hpp"
#include "tests/unit/controller/world.hpp"

namespace plimsoll::test {
namespace {

constexpr int kBackups = 3;
constexpr int kItems = 3;
constexpr int kSegments = 8;

std::string backup_name(int number) {
  return "b" + std::to_string(number % kBackups);
}
std::string item_name(int number) {
  return "paths/i" + std::to_string(number % kItems);
}
std::string node_name(int number) {
  return "n" + std::to_string(number % 2);
}

// A segment speaks for one backup and item all its life, on one node.
struct Segment {
  std::string backup;
  std::string item;
  std::string part;
  bool auto_backup = false;
};

struct Step {
  int kind = 0;
  int a = 0;
  int b = 0;
};

struct Run {
  World world;
  Model before;                      // what the store held before the last event
  std::set<SegmentId> said_durable;  // by any report of its own
  std::map<SegmentId, std::uint64_t> seq;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<Report>> unacknowledged;
  std::size_t effects_seen = 0;

  explicit Run(const ControllerSettings& settings) : world(settings) {}
};

ControllerSettings run_settings() {
  ControllerSettings settings;
  settings.any_node = true;
  settings.limits.orphans = 4;
  settings.upload_timeout = minutes(20);
  settings.keep_tombstones = hours(3);
  settings.keep_backups = hours(5);
  settings.keep_orphans = minutes(10);
  settings.seal_timeout = hours(1);
  return settings;
}

Segment segment_of(int number) {
  Segment one;
  one.backup = backup_name(number);
  one.item = item_name(number / 2);
  one.part = number % 4 == 3 ? "p1" : "";
  one.auto_backup = number % 5 == 4;
  return one;
}

Report any_report(Run& run, const Step& step) {
  const int number = step.a % kSegments;
  const Segment speaks_for = segment_of(number);
  auto report = running(static_cast<std::uint64_t>(number) + 1, speaks_for.backup, speaks_for.item);
  report.identity->part = speaks_for.part;
  report.identity->parts_total = speaks_for.part.empty() ? 0 : 2;
  report.identity->auto_backup = speaks_for.auto_backup;
  auto& seq = run.seq[report.segment];
  report.seq = step.b % 7 == 0 ? seq / 2 : ++seq;  // now and then an old one
  report.sample->completed = (step.b % 200) - 20;
  report.updated_unix_ms += step.b % 1000;
  report.state = static_cast<AttemptState>(step.b % 8);
  if (report.state == AttemptState::ended) {
    report.terminal = Terminal{};
    report.terminal->outcome = static_cast<Outcome>((step.b / 8) % 6);
    report.terminal->will_retry = (step.b / 64) % 2 == 0;
    if (report.terminal->outcome == Outcome::durable) run.said_durable.insert(report.segment);
  }
  return report;
}

void send_report(Run& run, const Step& step) {
  const std::string node = node_name(step.a % kSegments);
  if (run.world.state.links.count(run.world.connection(node)) == 0) return;
  const Report report = any_report(run, step);
  const auto before = run.world.batches_of(node);
  run.unacknowledged[{static_cast<std::uint64_t>(run.world.connection(node)), before + 1}] = {
      report};
  run.world.report(report, node);
}

void request(Run& run, const Step& step) {
  World& world = run.world;
  const std::string backup = backup_name(step.a);
  switch (step.b % 7) {
    case 0:
      (void)world.create(backup, SealMode::manual, {item_name(step.a), item_name(step.a + 1)});
      return;
    case 1:
      (void)world.add(backup, item_name(step.a / 3), CreateMode::auto_);
      return;
    case 2:
      (void)world.add(backup, item_name(step.a / 3));
      return;
    case 3:
      (void)world.seal(backup);
      return;
    case 4:
      (void)world.seal(backup, static_cast<SealOutcome>(1 + step.a % 3), true);
      return;
    case 5:
      (void)world.call(CancelBackupCall{backup, ""});
      return;
    default:
      (void)world.call(DeleteBackupCall{backup});
      return;
  }
}

void perform(Run& run, const Step& step) {
  World& world = run.world;
  switch (step.kind) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
      return send_report(run, step);
    case 5:
    case 6:
      return request(run, step);
    case 7:
      (void)world.connect(node_name(step.a), static_cast<std::uint64_t>(1 + step.b % 13 / 12));
      return;
    case 8:
      return world.disconnect(node_name(step.a));
    case 9:
      return world.advance(milliseconds(step.b * 60));
    case 10:
      return world.advance(minutes(step.a % 90));
    case 11:
      world.hold_commits = true;
      return;
    case 12:
      world.hold_commits = false;
      if (step.a % 3 == 0 && world.held) return world.fail_commit();
      return world.finish_commit();
    default:
      run.unacknowledged.clear();
      return world.restart(minutes(step.a % 5));
  }
}

void check_phase(const BackupRecord& was, const BackupRecord& is) {  // S2
  if (is_terminal(was.phase)) RC_ASSERT((is.phase == was.phase));
  if (was.phase == BackupPhase::uploading_partial_failure)
    RC_ASSERT((is.phase == was.phase || is.phase == BackupPhase::partially_failed ||
               is.phase == BackupPhase::deleting));
  if (was.phase == BackupPhase::deleting) RC_ASSERT((is.phase == was.phase));
  if (was.failed_latched) RC_ASSERT((is.failed_latched));
  if (was.items_fixed) RC_ASSERT((is.items_fixed));
}

void check_attempt(const AttemptRecord& was, const AttemptRecord& is) {  // S3, S4, S11
  RC_ASSERT((is.seq >= was.seq));
  RC_ASSERT((is.sample.completed >= was.sample.completed));
  RC_ASSERT((is.sample.completed >= 0));
  if (was.updated) RC_ASSERT((is.updated >= was.updated));
  if (was.terminal) RC_ASSERT((is.terminal == was.terminal));
  if (!was.upload_id.empty()) RC_ASSERT((is.upload_id == was.upload_id));
  if (was.ordinal > 0) RC_ASSERT((is.ordinal == was.ordinal));
}

void check_completed(const Run& run, const BackupRecord& backup) {  // S1, S6
  if (backup.phase != BackupPhase::completed) return;
  RC_ASSERT((backup.items_fixed));
  RC_ASSERT((!backup.failed_latched));
  for (const auto& [item, id] : run.world.stored.uploads_of(backup.uid)) {
    const auto& upload = *run.world.stored.upload(id);
    RC_ASSERT((upload.end.has_value()));
    RC_ASSERT((upload.end->outcome == Outcome::durable));
    std::set<std::string> durable;
    std::uint32_t needed = 1;
    for (const auto& segment : run.world.stored.attempts_of(id)) {
      const auto& attempt = *run.world.stored.attempt(segment);
      needed = std::max(needed, attempt.identity.parts_total);
      if (run.said_durable.count(segment) != 0) durable.insert(attempt.identity.part);
    }
    RC_ASSERT((durable.size() >= needed));
  }
}

// Everything but what was deleted since is at least as far as what was acknowledged.
void check_held(const Run& run, const Report& report) {   // S5
  if (run.world.gone.count(report.segment) != 0) return;  // an orphan expired, or a backup deleted
  const auto* attempt = run.world.stored.attempt(report.segment);
  if (attempt == nullptr) {
    RC_ASSERT((run.world.stored.tombstone_of(report.segment) != nullptr));
    return;
  }
  if (attempt->terminal) return;
  RC_ASSERT((attempt->seq >= (report.sample ? report.seq : 0)));
  RC_ASSERT((!(report.state == AttemptState::ended && report.terminal)));
}

void check_acks(Run& run) {
  const auto& effects = run.world.effects;
  for (; run.effects_seen < effects.size(); ++run.effects_seen) {
    const auto* sent = std::get_if<Send>(&effects[run.effects_seen]);
    const auto* ack = sent != nullptr ? std::get_if<Ack>(&sent->message) : nullptr;
    if (ack == nullptr) continue;
    const auto batch =
        run.unacknowledged.find({static_cast<std::uint64_t>(sent->connection), ack->seq});
    if (batch == run.unacknowledged.end()) continue;
    for (const auto& report : batch->second) {
      const bool refused =
          std::any_of(ack->refused.begin(), ack->refused.end(),
                      [&](const RefusedReport& one) { return one.segment == report.segment; });
      if (!refused) check_held(run, report);
    }
    run.unacknowledged.erase(batch);
  }
}

void check_shown(const World& world) {  // S11, S12, S13
  for (const auto& [uid, backup] : world.stored.backups()) {
    const auto shown = get_backup(world.state, uid);
    if (world.held) continue;  // what is committed may be ahead of what was said of it
    RC_ASSERT((shown.has_value()));
    RC_ASSERT((shown->phase == backup.phase));
    for (const auto& upload : backup_uploads(world.state, uid, "", world.now).items) {
      const auto& progress = upload.view.progress;
      const bool durable = upload.view.outcome == Outcome::durable;
      RC_ASSERT((progress.err.empty() == (!progress.completed || durable)));
      const auto percent =
          percent_of(progress.items_completed, progress.items_to_complete, durable);
      if (!durable && percent) RC_ASSERT((*percent < 100.0));
    }
  }
}

void check_laws(Run& run) {
  const Model& is = run.world.stored;
  for (const auto& [uid, backup] : is.backups()) {
    if (const auto* was = run.before.backup(uid)) check_phase(*was, backup);
    RC_ASSERT((run.before.tombstone(uid) == nullptr));  // S8: a deleted backup does not come back
    check_completed(run, backup);
  }
  for (const auto& [id, upload] : is.uploads()) {
    const auto* was = run.before.upload(id);
    if (was == nullptr || !was->end) continue;
    RC_ASSERT((upload.end.has_value()));
    RC_ASSERT((upload.end->outcome == was->end->outcome));  // S3
    RC_ASSERT((upload.end->err == was->end->err));
  }
  for (const auto& [segment, attempt] : is.attempts())
    if (const auto* was = run.before.attempt(segment))
      if (run.world.gone.count(segment) == 0) check_attempt(*was, attempt);
  for (const auto& [id, upload] : run.world.state.rows.uploads())
    RC_ASSERT(((who_ends(run.world.state, upload) == WhoEnds::nobody) == upload.end.has_value()));
  check_acks(run);
  check_shown(run.world);
  run.before = is;
}

// Faults stop, movers are silent: every backup that someone sealed, or that seals itself, comes to
// its end.
void check_liveness(Run& run) {
  World& world = run.world;
  world.hold_commits = false;
  world.finish_commit();
  world.advance(minutes(30));
  for (const auto* node : {"n0", "n1"})
    world.disconnect(node);
  world.advance(hours(3));
  for (const auto& [uid, backup] : world.stored.backups()) {
    RC_ASSERT((is_terminal(backup.phase)));
    RC_ASSERT((world.state.open_uploads[uid] == 0 || backup.phase == BackupPhase::failed));
  }
}

TEST_CASE("the laws hold in random runs") {
  rc::prop("for any run", [] {
    Run run(run_settings());
    const auto length = *rc::gen::inRange(0, 120);
    for (int i = 0; i < length; ++i) {
      const Step step{*rc::gen::inRange(0, 14), *rc::gen::inRange(0, 10000),
                      *rc::gen::inRange(0, 10000)};
      perform(run, step);
      check_laws(run);
    }
    check_liveness(run);
  });
}

}  // namespace
}  // namespace plimsoll::test
