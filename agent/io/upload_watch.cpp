// upload_watch.cpp - compares revisions instead of queueing changes, so a slow client costs
// nothing.
#include "agent/io/upload_watch.hpp"

#include <utility>

#include "agent/core/upload_table.hpp"
#include "schemas/api_json.hpp"

namespace plimsoll {
namespace {

std::string deleted_object(const std::string& id) {
  return dump_json({{"apiVersion", kApiVersion}, {"kind", "Upload"}, {"metadata", {{"id", id}}}});
}

}  // namespace

UploadWatch::UploadWatch(UploadQuery query, HttpStream stream)
    : query_(std::move(query)), stream_(std::move(stream)) {}

void UploadWatch::write_line(std::string_view type, const std::string& object) {
  pending_ += R"({"type":")";
  pending_ += type;
  pending_ += R"(","object":)";
  pending_ += object;
  pending_ += "}\n";
}

bool UploadWatch::pump(const AgentState& state, const Moment& moment) {
  if (stream_.closed()) return false;
  const auto waiting = stream_.buffered_bytes();
  const auto room = waiting < kWatchBufferBytes ? kWatchBufferBytes - waiting : 0;
  const bool late = behind_since_ && moment.now - *behind_since_ >= kWatchPatience;
  const bool done = push_changes(state, moment, late ? kLastWordsBytes : room);
  if (done && !late) bookmark(moment.now);
  const bool pushed = pending_.empty() || stream_.push(pending_);
  pending_.clear();
  if (done)
    behind_since_.reset();
  else if (!behind_since_)
    behind_since_ = moment.now;
  if (late) stream_.end();
  return pushed && !late;
}

bool UploadWatch::push_changes(const AgentState& state, const Moment& moment,
                               std::size_t room_bytes) {
  if (bookmark_at_ && seen_revision_ == state.attempts.revision()) return true;
  if (room_bytes == 0) return false;
  remove_vanished(state.attempts);
  for (const auto& upload : placed_uploads(state.attempts)) {
    if (pending_.size() >= room_bytes) return false;
    push_upload(upload, state, moment);
  }
  seen_revision_ = state.attempts.revision();
  return true;
}

void UploadWatch::remove_vanished(const AttemptTable& attempts) {
  std::set<SegmentId> there;
  for (const auto& upload : placed_uploads(attempts))
    there.insert(upload.place);
  for (auto at = shown_.begin(); at != shown_.end();) {
    const bool gone = !there.contains(at->first);
    if (gone && !at->second.id.empty()) write_line("DELETED", deleted_object(at->second.id));
    at = gone ? shown_.erase(at) : std::next(at);
  }
}

void UploadWatch::push_upload(const PlacedUpload& upload, const AgentState& state,
                              const Moment& moment) {
  auto& shown = shown_[upload.place];
  const auto revision = revision_of(state.attempts, *upload.segments);
  if (shown.revision == revision) return;
  shown.revision = revision;
  const auto document = upload_document(state, *upload.segments, moment);
  const bool visible = fits(query_, document);
  const bool same_id = shown.id == document.id;
  if (!shown.id.empty() && (!visible || !same_id)) write_line("DELETED", deleted_object(shown.id));
  const bool is_new = shown.id.empty() || !same_id;
  shown.id = visible ? document.id : "";
  if (visible) write_line(is_new ? "ADDED" : "MODIFIED", dump_json(upload_json(document)));
}

void UploadWatch::bookmark(TimePoint now) {
  if (bookmark_at_ && now < *bookmark_at_) return;
  bookmark_at_ = now + kBookmarkEvery;
  write_line("BOOKMARK", R"({"synced":true})");
}

}  // namespace plimsoll
