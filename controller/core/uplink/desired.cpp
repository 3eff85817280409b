// desired.cpp - see desired.hpp.
#include "controller/core/uplink/desired.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "controller/core/backups/expected_uploads.hpp"
#include "controller/core/uplink/uplink_session.hpp"

namespace plimsoll {
namespace {

// The segments whose wanted action a commit may have changed.
void add_segments_of(std::set<SegmentId>& segments, const Model& rows, const StoreWrite& write) {
  if (const auto* put = std::get_if<PutAttempt>(&write)) segments.insert(put->record.segment);
  if (const auto* put = std::get_if<PutUpload>(&write)) {
    const auto& of_upload = rows.attempts_of(put->record.id);
    segments.insert(of_upload.begin(), of_upload.end());
  }
  if (const auto* put = std::get_if<PutTombstone>(&write))
    for (const auto& left : put->record.left_behind)
      segments.insert(left.segment);
}

std::string node_of(const Model& rows, const SegmentId& segment) {
  if (const auto* attempt = rows.attempt(segment)) return attempt->node;
  if (const auto* grave = rows.tombstone_of(segment))
    for (const auto& left : grave->left_behind)
      if (left.segment == segment) return left.node;
  return "";
}

void remember(Link& link, const DesiredEntry& entry) {
  if (entry.action == DesiredAction::run)
    link.told.erase(entry.segment);
  else
    link.told[entry.segment] = entry.action;
}

DesiredAction told(const Link& link, const SegmentId& segment) {
  const auto found = link.told.find(segment);
  return found == link.told.end() ? DesiredAction::run : found->second;
}

void send_entries(Turn& turn, ConnectionId connection, std::vector<DesiredEntry> entries,
                  bool reset) {
  const auto found = turn.state.links.find(connection);
  if (found == turn.state.links.end()) return;
  for (const auto& entry : entries)
    remember(found->second, entry);
  const auto session = found->second.session;
  std::size_t from = 0;
  do {
    const std::size_t to = std::min(entries.size(), from + kMaxDesiredEntries);
    Desired frame;
    frame.session = session;
    frame.reset = reset && from == 0;
    frame.last = to == entries.size();
    frame.entries.assign(entries.begin() + static_cast<std::ptrdiff_t>(from),
                         entries.begin() + static_cast<std::ptrdiff_t>(to));
    send(turn, connection, std::move(frame));
    from = to;
  } while (from < entries.size());
}

}  // namespace

DesiredAction desired_action(const Model& committed, const SegmentId& segment) {
  if (const auto* grave = committed.tombstone_of(segment)) {
    for (const auto& left : grave->left_behind)
      if (left.segment == segment)
        return left.answered ? DesiredAction::forget : DesiredAction::cancel;
  }
  const auto* attempt = committed.attempt(segment);
  if (attempt == nullptr || attempt->upload_id.empty() || !is_live(*attempt))
    return DesiredAction::run;
  const auto* upload = committed.upload(attempt->upload_id);
  return upload != nullptr && upload->cancel ? DesiredAction::cancel : DesiredAction::run;
}

void send_desired_set(Turn& turn, ConnectionId connection) {
  auto& link = turn.state.links.at(connection);
  const Model& rows = turn.state.committed.rows;
  link.told.clear();
  std::vector<DesiredEntry> entries;
  const auto want = [&](const SegmentId& segment) {
    const auto action = desired_action(rows, segment);
    if (action != DesiredAction::run) entries.push_back({segment, action});
  };
  for (const auto& segment : rows.attempts_on(link.node))
    want(segment);
  for (const auto& [uid, grave] : rows.tombstones())
    for (const auto& left : grave.left_behind)
      if (left.node == link.node) want(left.segment);
  send_entries(turn, connection, std::move(entries), true);
}

void send_desired_changes(Turn& turn, const std::vector<StoreWrite>& writes) {
  const Model& rows = turn.state.committed.rows;
  std::set<SegmentId> segments;
  for (const auto& write : writes)
    add_segments_of(segments, rows, write);
  std::map<ConnectionId, std::vector<DesiredEntry>> changes;
  for (const auto& segment : segments) {
    const auto contact = turn.state.contacts.find(node_of(rows, segment));
    if (contact == turn.state.contacts.end() || !contact->second.connection) continue;
    const auto link = turn.state.links.find(*contact->second.connection);
    if (link == turn.state.links.end()) continue;
    const auto action = desired_action(rows, segment);
    if (action != told(link->second, segment)) changes[link->first].push_back({segment, action});
  }
  for (auto& [connection, entries] : changes)
    send_entries(turn, connection, std::move(entries), false);
}

void send_tombstone_action(Turn& turn, ConnectionId connection, DesiredEntry entry) {
  const auto link = turn.state.links.find(connection);
  if (link == turn.state.links.end() || told(link->second, entry.segment) == entry.action) return;
  send_entries(turn, connection, {entry}, false);
}

}  // namespace plimsoll
