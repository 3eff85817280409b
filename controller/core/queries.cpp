// queries.cpp - see queries.hpp.
#include "controller/core/queries.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "controller/core/backups/check_request.hpp"
#include "controller/core/backups/expected_uploads.hpp"
#include "schemas/text.hpp"

namespace plimsoll {
namespace {

std::string orphan_id(const SegmentId& segment) {
  return to_hex(segment).substr(0, 16);
}

std::size_t within(std::size_t limit, std::size_t most) {
  return limit == 0 ? most : std::min(limit, most);
}

std::int64_t whole_seconds(Duration age) {
  return std::max<std::int64_t>(0, std::chrono::duration_cast<seconds>(age).count());
}

const UploadView& committed_view(const ControllerState& state, const UploadRecord& upload) {
  return state.committed.uploads.find(upload.id)->second;
}

void add_to_totals(BackupTotals& totals, const UploadView& view, bool countable) {
  ++totals.uploads;
  if (view.progress.completed) ++totals.uploads_over;
  const bool known = countable && (view.progress.items_to_complete > 0 || view.progress.completed);
  if (!known) ++totals.unknown;
  if (!countable) return;
  totals.items_completed = saturating_add(totals.items_completed, view.progress.items_completed);
  if (totals.items_to_complete)
    totals.items_to_complete =
        saturating_add(*totals.items_to_complete, view.progress.items_to_complete);
  if (view.rate >= 0) totals.rate = totals.rate.value_or(0) + view.rate;
}

void finish_totals(BackupTotals& totals) {
  if (totals.unknown > 0 || totals.uploads == 0) totals.items_to_complete.reset();
  if (totals.items_to_complete && totals.rate)
    totals.eta_seconds =
        eta_seconds(totals.items_completed, *totals.items_to_complete, *totals.rate);
}

// Bytes are added; uploads in other units are only counted.
void count_uploads(const ControllerState& state, BackupDocument& document) {
  document.totals.items_to_complete = 0;
  for (const auto& [item, id] : state.committed.rows.uploads_of(document.uid)) {
    const auto& view = committed_view(state, *state.committed.rows.upload(id));
    ++document.counts.at(static_cast<std::size_t>(view.state));
    add_to_totals(document.totals, view, view.progress.units == "bytes");
  }
  finish_totals(document.totals);
}

BackupDocument document_of(const ControllerState& state, const BackupRecord& backup) {
  BackupDocument document;
  document.name = backup.name;
  document.uid = backup.uid;
  document.created = backup.created;
  document.seal = backup.seal;
  document.source = backup.source;
  document.owner_uid = backup.owner_uid;
  document.phase = backup.phase;
  document.started = backup.started;
  document.completed = backup.completed;
  document.errors = backup.errors;
  document.warnings = backup.warnings;
  count_uploads(state, document);
  return document;
}

void add_items(const Model& rows, BackupDocument& document) {
  for (const auto& [item, id] : rows.uploads_of(document.uid)) {
    const auto& upload = *rows.upload(id);
    document.items.push_back({item, upload.snapshot_id, upload.volume_id, upload.parts});
  }
}

void add_left_behind(const Model& rows, BackupDocument& document) {
  if (document.phase != BackupPhase::deleting) return;
  for (const auto& [item, id] : rows.uploads_of(document.uid))
    for (const auto& segment : rows.attempts_of(id)) {
      const auto& attempt = *rows.attempt(segment);
      if (is_live(attempt) && document.left_behind.size() < kMaxLeftBehind)
        document.left_behind.push_back({segment, item, attempt.node, false});
    }
}

// How old the knowledge is: that of the node where the newest attempt runs. What is over is not
// getting older.
void add_freshness(const ControllerState& state, UploadDocument& document, TimePoint now) {
  const UploadView& view = document.view;
  const auto contact = state.contacts.find(view.node);
  if (view.progress.completed || view.node.empty() || contact == state.contacts.end()) return;
  const Duration age = now - contact->second.heard;
  document.freshness = freshness_of(age);
  document.freshness_age_seconds = whole_seconds(age);
  if (document.freshness == Freshness::unreachable)
    document.retrieval_error =
        RetrievalError{"no word from node " + quoted(view.node), contact->second.heard_wall};
}

UploadDocument document_of(const ControllerState& state, const UploadRecord& upload,
                           TimePoint now) {
  const Model& rows = state.committed.rows;
  UploadDocument document;
  document.id = upload.id;
  document.created = upload.created;
  document.backup = rows.backup(upload.backup_uid)->name;
  document.backup_uid = upload.backup_uid;
  document.item = upload.item;
  document.snapshot_id = upload.snapshot_id;
  document.volume_id = upload.volume_id;
  document.parts = upload.parts;
  document.view = committed_view(state, upload);
  if (const auto* newest = rows.attempt(document.view.segment); newest && !upload.end)
    document.retrieval_error = newest->retrieval_error;
  add_freshness(state, document, now);
  return document;
}

UploadDocument document_of_orphan(const ControllerState& state, const AttemptRecord& orphan,
                                  TimePoint now) {
  UploadDocument document;
  document.id = orphan_id(orphan.segment);
  document.created = orphan.began;
  document.backup = orphan.identity.backup;
  document.backup_uid = orphan.identity.backup_uid;
  document.item = orphan.identity.item;
  document.snapshot_id = orphan.identity.snapshot_id;
  document.volume_id = orphan.identity.volume_id;
  document.parts = orphan.identity.parts_total;
  document.view = view_of_orphan(orphan);
  document.retrieval_error = orphan.retrieval_error;
  add_freshness(state, document, now);
  return document;
}

// Orphans are listed by id; their ids are the order of their segments' bytes.
const AttemptRecord* find_orphan(const Model& rows, std::string_view id) {
  for (const auto& segment : rows.orphans())
    if (orphan_id(segment) == id) return rows.attempt(segment);
  return nullptr;
}

bool matches(const UploadDocument& document, const UploadQuery& query) {
  const bool of_backup = query.backup.empty() || document.backup == query.backup ||
                         document.backup_uid == query.backup;
  return of_backup && (!query.state || document.view.state == *query.state) &&
         (query.node.empty() || document.view.node == query.node);
}

// false: the page is full, and `document` belongs to the next.
template <typename T>
bool add_to_page(Page<T>& page, T document, std::size_t limit, const std::string& last) {
  if (page.items.size() >= limit) {
    page.next = last;
    return false;
  }
  page.items.push_back(std::move(document));
  return true;
}

Page<UploadDocument> list_orphans(const ControllerState& state, const UploadQuery& query,
                                  TimePoint now) {
  std::map<std::string, const AttemptRecord*> by_id;
  for (const auto& segment : state.committed.rows.orphans())
    by_id[orphan_id(segment)] = state.committed.rows.attempt(segment);
  Page<UploadDocument> page;
  std::string last;
  for (auto one = by_id.upper_bound(query.after); one != by_id.end(); ++one) {
    auto document = document_of_orphan(state, *one->second, now);
    if (!matches(document, query)) continue;
    if (!add_to_page(page, std::move(document), within(query.limit, kMaxListed), last)) break;
    last = one->first;
  }
  return page;
}

bool may_match(const ControllerState& state, const UploadRecord& upload, const UploadQuery& query) {
  const auto& view = committed_view(state, upload);
  return (!query.state || view.state == *query.state) &&
         (query.node.empty() || view.node == query.node);
}

}  // namespace

Page<BackupDocument> list_backups(const ControllerState& state, const BackupQuery& query) {
  const Model& rows = state.committed.rows;
  Page<BackupDocument> page;
  std::string last;
  const auto& names = rows.backup_uids();
  for (auto one = names.upper_bound(query.after); one != names.end(); ++one) {
    const auto& backup = *rows.backup(one->second);
    if (query.phase && backup.phase != *query.phase) continue;
    if (!query.name.empty() && backup.name != query.name) continue;
    if (page.items.size() >= within(query.limit, kMaxListed)) {
      page.next = last;
      break;
    }
    page.items.push_back(document_of(state, backup));
    last = one->first;
  }
  return page;
}

Page<UploadDocument> list_uploads(const ControllerState& state, const UploadQuery& query,
                                  TimePoint now) {
  if (query.orphans) return list_orphans(state, query, now);
  const Model& rows = state.committed.rows;
  const auto* of = query.backup.empty() ? nullptr : rows.backup_by_either(query.backup);
  Page<UploadDocument> page;
  if (of == nullptr && !query.backup.empty()) return page;
  std::string last;
  for (auto one = rows.uploads().upper_bound(query.after); one != rows.uploads().end(); ++one) {
    if (of != nullptr && one->second.backup_uid != of->uid) continue;
    if (!may_match(state, one->second, query)) continue;
    if (!add_to_page(page, document_of(state, one->second, now), within(query.limit, kMaxListed),
                     last))
      break;
    last = one->first;
  }
  return page;
}

std::vector<NodeDocument> list_nodes(const ControllerState& state, TimePoint now) {
  std::vector<NodeDocument> nodes;
  const Model& rows = state.committed.rows;
  for (const auto& [name, node] : rows.nodes()) {
    NodeDocument document{name, node.boot, node.agent_version, node.session, Freshness::live, 0, 0};
    const auto contact = state.contacts.find(name);
    if (contact != state.contacts.end()) {
      document.freshness = freshness_of(now - contact->second.heard);
      document.freshness_age_seconds = whole_seconds(now - contact->second.heard);
    }
    std::set<std::string> uploads;
    for (const auto& segment : rows.attempts_on(name)) {
      const auto* upload = rows.upload(rows.attempt(segment)->upload_id);
      if (upload != nullptr && !upload->end) uploads.insert(upload->id);
    }
    document.uploads = static_cast<std::uint32_t>(uploads.size());
    nodes.push_back(std::move(document));
  }
  return nodes;
}

tl::expected<BackupDocument, ApiError> get_backup(const ControllerState& state,
                                                  std::string_view name_or_uid) {
  const auto* backup = state.committed.rows.backup_by_either(name_or_uid);
  if (backup == nullptr) return tl::unexpected(no_such_backup(state.committed.rows, name_or_uid));
  BackupDocument document = document_of(state, *backup);
  add_items(state.committed.rows, document);
  add_left_behind(state.committed.rows, document);
  return document;
}

Page<UploadDocument> backup_uploads(const ControllerState& state, std::string_view backup_uid,
                                    std::string_view after, TimePoint now) {
  const Model& rows = state.committed.rows;
  const auto& items = rows.uploads_of(backup_uid);
  Page<UploadDocument> page;
  std::string last;
  for (auto one = items.upper_bound(after); one != items.end(); ++one) {
    if (!add_to_page(page, document_of(state, *rows.upload(one->second), now), kMaxMapEntries,
                     last))
      break;
    last = one->first;
  }
  return page;
}

tl::expected<UploadDocument, ApiError> get_upload(const ControllerState& state, std::string_view id,
                                                  TimePoint now) {
  const Model& rows = state.committed.rows;
  if (const auto* upload = rows.upload(id)) return document_of(state, *upload, now);
  if (const auto* orphan = find_orphan(rows, id)) return document_of_orphan(state, *orphan, now);
  return tl::unexpected(api_error(ErrorCode::not_found, "no upload " + quoted(id),
                                  "`plimsoll get uploads` lists them"));
}

std::optional<SegmentId> orphan_segment(const ControllerState& state, std::string_view id) {
  const auto* orphan = find_orphan(state.committed.rows, id);
  if (orphan == nullptr) return std::nullopt;
  return orphan->segment;
}

}  // namespace plimsoll
