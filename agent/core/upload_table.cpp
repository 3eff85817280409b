// upload_table.cpp - ordinals as the contract gives them, then the shared merge.
#include "agent/core/upload_table.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "schemas/merge.hpp"

namespace plimsoll {
inline namespace agent {
namespace {

constexpr std::size_t kShortestIdPrefix = 4;
constexpr std::size_t kIdDigits = 16;

std::vector<const Attempt*> by_start(const AttemptTable& attempts,
                                     const std::set<SegmentId>& segments) {
  std::vector<const Attempt*> found;
  for (const auto& segment : segments)
    if (const auto* attempt = attempts.find(segment)) found.push_back(attempt);
  std::sort(found.begin(), found.end(), [](const Attempt* a, const Attempt* b) {
    if (a->origin.start_boottime_ns != b->origin.start_boottime_ns)
      return a->origin.start_boottime_ns < b->origin.start_boottime_ns;
    return a->origin.segment < b->origin.segment;
  });
  return found;
}

// The mover's own number if no other attempt of its part has it, else the highest so far + 1.
class Ordinals {
 public:
  std::uint32_t next(const Identity& identity) {
    auto& taken = taken_[identity.part];
    auto ordinal = taken.empty() ? 1 : *taken.rbegin() + 1;
    if (identity.attempt != 0 && !taken.contains(identity.attempt)) ordinal = identity.attempt;
    taken.insert(ordinal);
    return ordinal;
  }

 private:
  std::map<std::string, std::set<std::uint32_t>> taken_;
};

AttemptView view_of(const Attempt& attempt, const AgentState& state, const Moment& moment) {
  const auto& progress = attempt.progress;
  AttemptView view;
  view.segment = attempt.origin.segment;
  view.part = attempt.identity.part;
  view.born_dead = attempt.born_dead;
  view.given_up = attempt.given_up;
  view.state = attempt.judgement.state;
  view.reason = attempt.judgement.reason;
  view.since = attempt.judgement.since_wall;
  view.sample = progress.sample;
  view.terminal = progress.terminal;
  view.rate = progress.rate.value(moment.now);
  view.started = progress.started;
  view.updated = progress.updated;
  view.units = attempt.identity.units;
  view.node = state.settings.node;
  return view;
}

void put_identity(UploadDocument& document, const Identity& identity) {
  document.backup = identity.backup;
  document.backup_uid = identity.backup_uid;
  document.item = identity.item;
  document.snapshot_id = identity.snapshot_id;
  document.volume_id = identity.volume_id;
}

void put_retrieval_error(UploadDocument& document, const std::vector<const Attempt*>& attempts) {
  for (const auto* attempt : attempts)
    if (attempt->judgement.state == AttemptState::unreadable)
      document.retrieval_error =
          RetrievalError{attempt->judgement.reason, attempt->judgement.since_wall};
}

}  // namespace

UploadDocument upload_document(const AgentState& state, const std::set<SegmentId>& segments,
                               const Moment& moment) {
  const auto attempts = by_start(state.attempts, segments);
  UploadDocument document;
  if (attempts.empty()) return document;
  std::vector<AttemptView> views;
  Ordinals ordinals;
  std::uint32_t highest_said = 0;
  bool named_part = false;
  for (const auto* attempt : attempts) {
    views.push_back(view_of(*attempt, state, moment));
    views.back().ordinal = ordinals.next(attempt->identity);
    highest_said = std::max(highest_said, attempt->identity.parts_total);
    named_part = named_part || !attempt->identity.part.empty();
  }
  document.parts = parts_needed(0, highest_said, named_part);
  document.view = merge_attempts(views, document.parts);
  document.id = to_hex(document.view.segment).substr(0, kIdDigits);
  document.created = attempts.front()->progress.started;
  put_identity(document, attempts.front()->identity);
  put_retrieval_error(document, attempts);
  return document;
}

UploadFound find_upload(const AttemptTable& attempts, std::string_view id) {
  UploadFound found;
  if (id.size() < kShortestIdPrefix) return found;
  for (const auto& [key, segments] : attempts.uploads()) {
    const bool fits = std::any_of(segments.begin(), segments.end(), [id](const SegmentId& segment) {
      return to_hex(segment).substr(0, kIdDigits).starts_with(id);
    });
    if (!fits) continue;
    if (found.key) return {nullptr, nullptr, true};
    found.key = &key;
    found.segments = &segments;
  }
  return found;
}

std::uint64_t revision_of(const AttemptTable& attempts, const std::set<SegmentId>& segments) {
  std::uint64_t highest = 0;
  for (const auto& segment : segments)
    if (const auto* attempt = attempts.find(segment))
      highest = std::max(highest, attempt->revision);
  return highest;
}

}  // namespace agent
}  // namespace plimsoll
