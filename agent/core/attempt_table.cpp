// attempt_table.cpp - admission and giving way.
#include "agent/core/attempt_table.hpp"

#include <string_view>
#include <utility>

namespace plimsoll {
inline namespace agent {
namespace {

void count_down(std::map<std::uint32_t, std::uint32_t>& counts, std::uint32_t key) {
  const auto found = counts.find(key);
  if (--found->second == 0) counts.erase(found);
}

std::uint32_t count_of(const std::map<std::uint32_t, std::uint32_t>& counts, std::uint32_t key) {
  const auto found = counts.find(key);
  return found == counts.end() ? 0 : found->second;
}

}  // namespace

std::string_view word(LimitHit limit) {
  switch (limit) {
    case LimitHit::none:
      return "none";
    case LimitHit::per_directory:
      return "per_directory";
    case LimitHit::per_uid:
      return "per_uid";
    case LimitHit::total:
      return "total";
  }
  return "none";
}

UploadKey upload_key(const Attempt& attempt) {
  const auto& identity = attempt.identity;
  UploadKey key{attempt.origin.domain, identity.backup,    identity.backup_uid, identity.item,
                identity.snapshot_id,  identity.volume_id, SegmentId{}};
  if (identity.item.empty() && identity.snapshot_id.empty() && identity.volume_id.empty())
    key.alone = attempt.origin.segment;
  return key;
}

LimitHit AttemptTable::limit_hit(const Attempt& attempt, const AttemptLimits& limits) const {
  if (count_of(per_uid_, attempt.origin.owner_uid) >= limits.per_uid) return LimitHit::per_uid;
  if (count_of(per_directory_, attempt.origin.directory) >= limits.per_directory)
    return LimitHit::per_directory;
  return attempts_.size() >= limits.total ? LimitHit::total : LimitHit::none;
}

AttemptTable::Scope AttemptTable::scope_of(const Attempt& attempt, LimitHit limit) {
  if (limit == LimitHit::per_uid) return {true, attempt.origin.owner_uid};
  return {false, attempt.origin.directory};
}

std::optional<AttemptTable::End> AttemptTable::end_of(const Attempt& attempt) {
  if (attempt.lock_held || !attempt.over() || !attempt.judgement.over_at) return std::nullopt;
  return End{*attempt.judgement.over_at, attempt.origin.start_boottime_ns, attempt.origin.segment};
}

std::optional<SegmentId> AttemptTable::first_to_give_way(const Attempt& newcomer,
                                                         LimitHit limit) const {
  const auto found = ended_.find(scope_of(newcomer, limit));
  if (found == ended_.end()) return std::nullopt;
  const auto& oldest = *found->second.begin();
  // Among the ended the younger stays, so that the same two never push each other out in turns.
  const auto own_end = end_of(newcomer);
  if (own_end && *own_end < oldest) return std::nullopt;
  return oldest.segment;
}

void AttemptTable::index_end(Attempt& attempt, std::optional<TimePoint> end) {
  if (attempt.indexed_end == end) return;
  for (const auto limit : {LimitHit::per_uid, LimitHit::per_directory}) {
    const auto scope = scope_of(attempt, limit);
    End key{TimePoint{}, attempt.origin.start_boottime_ns, attempt.origin.segment};
    if (attempt.indexed_end) {
      key.at = *attempt.indexed_end;
      ended_[scope].erase(key);
    }
    if (end) {
      key.at = *end;
      ended_[scope].insert(key);
    }
    if (ended_[scope].empty()) ended_.erase(scope);
  }
  attempt.indexed_end = end;
}

void AttemptTable::touch(Attempt& attempt) {
  attempt.revision = ++revision_;
  const auto end = end_of(attempt);
  index_end(attempt, end ? std::optional(end->at) : std::nullopt);
}

AttemptTable::Admission AttemptTable::admit(Attempt attempt, const AttemptLimits& limits) {
  Admission admission;
  if (attempts_.contains(attempt.origin.segment)) return admission;
  for (auto hit = limit_hit(attempt, limits); hit != LimitHit::none;
       hit = limit_hit(attempt, limits)) {
    admission.limit = hit;
    const auto leaving = first_to_give_way(attempt, hit);
    if (!leaving) return admission;
    admission.gave_way.push_back(*leaving);
    remove(*leaving);
  }
  admission.admitted = true;
  ++per_directory_[attempt.origin.directory];
  ++per_uid_[attempt.origin.owner_uid];
  uploads_[upload_key(attempt)].insert(attempt.origin.segment);
  const auto segment = attempt.origin.segment;
  touch(attempts_.emplace(segment, std::move(attempt)).first->second);
  return admission;
}

void AttemptTable::remove(const SegmentId& segment) {
  const auto found = attempts_.find(segment);
  if (found == attempts_.end()) return;
  auto& attempt = found->second;
  index_end(attempt, std::nullopt);
  count_down(per_directory_, attempt.origin.directory);
  count_down(per_uid_, attempt.origin.owner_uid);
  const auto upload = uploads_.find(upload_key(attempt));
  upload->second.erase(segment);
  if (upload->second.empty())
    uploads_.erase(upload);
  else
    touch(attempts_.at(*upload->second.begin()));  // the upload looks different now
  attempts_.erase(found);
  ++revision_;
}

Attempt* AttemptTable::find(const SegmentId& segment) {
  const auto found = attempts_.find(segment);
  return found == attempts_.end() ? nullptr : &found->second;
}

const Attempt* AttemptTable::find(const SegmentId& segment) const {
  const auto found = attempts_.find(segment);
  return found == attempts_.end() ? nullptr : &found->second;
}

}  // namespace agent
}  // namespace plimsoll
