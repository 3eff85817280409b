// merge.cpp - attempts to part, parts to upload. The order in which attempts are given makes no
// difference.
#include "schemas/merge.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "schemas/text.hpp"
#include "schemas/text_bounds.hpp"
#include "schemas/time_text.hpp"

namespace plimsoll {
namespace {

using Attempts = std::vector<const AttemptView*>;

// The newest is the highest ordinal among those not born dead; if all are, the highest.
auto age_order(const AttemptView& attempt) {
  return std::tuple(!attempt.born_dead, attempt.ordinal, attempt.segment);
}

const AttemptView& newest_of(const Attempts& attempts) {
  return **std::max_element(attempts.begin(), attempts.end(),
                            [](auto* a, auto* b) { return age_order(*a) < age_order(*b); });
}

bool is_durable(const AttemptView& attempt) {
  return attempt.terminal && attempt.terminal->outcome == Outcome::durable;
}

// A durable attempt makes its part durable, whatever was opened later; otherwise the newest counts.
const AttemptView& counted_of(const Attempts& attempts) {
  Attempts durable;
  std::copy_if(attempts.begin(), attempts.end(), std::back_inserter(durable),
               [](auto* attempt) { return is_durable(*attempt); });
  return newest_of(durable.empty() ? attempts : durable);
}

std::string with_prefix(std::string_view prefix, const std::string& err) {
  if (err.starts_with(prefix)) return err;
  return err.empty() ? std::string(prefix) : std::string(prefix) + ": " + err;
}

std::string err_of(const Terminal& terminal) {
  if (terminal.outcome == Outcome::canceled) return with_prefix("canceled", terminal.err);
  if (terminal.outcome == Outcome::incomplete) return with_prefix("incomplete", terminal.err);
  if (terminal.outcome == Outcome::none) return "mover ended without a result";
  if (!is_known(terminal.outcome)) {
    const auto number = static_cast<unsigned>(terminal.outcome);
    return "mover ended with outcome " + std::to_string(number) + ", unknown to this version";
  }
  return terminal.err.empty() ? "failed" : terminal.err;
}

std::string lost_err(const AttemptView& attempt) {
  const std::string seen = attempt.updated ? utc_text(*attempt.updated) : "never";
  return "mover left without a result (last seen " + seen + ")";
}

UploadState running_state(AttemptState state) {
  switch (state) {
    case AttemptState::running:
      return UploadState::running;
    case AttemptState::stalled:
      return UploadState::stalled;
    case AttemptState::cancelling:
      return UploadState::cancelling;
    case AttemptState::lost:
      return UploadState::lost;
    default:
      return UploadState::waiting;
  }
}

void judge_ended(PartView& part, const Terminal& terminal) {
  if (terminal.outcome == Outcome::durable) {
    part.state = UploadState::completed;
    part.over = true;
    return;
  }
  const bool retries = terminal.outcome == Outcome::failed && terminal.will_retry;
  part.over = !retries || part.counted.given_up;
  part.state = part.over ? state_of(terminal.outcome) : UploadState::waiting;
  if (part.over) part.err = err_of(terminal);
  if (!part.over)
    part.counted.reason = cut_utf8("failed, to be tried again: " + terminal.err, kMaxReasonBytes);
}

PartView part_of(const std::string& name, const Attempts& attempts) {
  PartView part;
  part.name = name;
  part.attempts = static_cast<std::uint32_t>(attempts.size());
  part.counted = counted_of(attempts);
  if (part.counted.terminal) {
    judge_ended(part, *part.counted.terminal);
  } else if (part.counted.state == AttemptState::lost && part.counted.given_up) {
    part.over = true;
    part.state = UploadState::failed;
    part.err = lost_err(part.counted);
  } else {
    part.state = running_state(part.counted.state);
  }
  return part;
}

// The last numbers of an attempt; of a durable one total and count are the same.
Sample numbers_of(const AttemptView& attempt) {
  Sample numbers = attempt.sample;
  if (!attempt.terminal) return numbers;
  const Terminal& end = *attempt.terminal;
  const bool told = end.completed > 0 || end.total > 0;
  numbers.completed = std::max({std::int64_t{0}, numbers.completed, end.completed});
  if (end.total > 0) numbers.total = end.total;
  numbers.errors = std::max(numbers.errors, end.errors);
  numbers.warnings = std::max(numbers.warnings, end.warnings);
  if (is_durable(attempt)) {
    if (!told) numbers.completed = std::max(numbers.completed, numbers.total);
    numbers.total = numbers.completed;
  }
  if (numbers.total > 0) numbers.total = std::max(numbers.total, numbers.completed);
  return numbers;
}

std::int64_t add_if_known(std::int64_t sum, std::int64_t value) {
  return sum < 0 || value < 0 ? -1 : saturating_add(sum, value);
}

std::uint32_t add_counts(std::uint32_t a, std::uint32_t b) {
  const auto sum = std::uint64_t{a} + b;
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(sum, std::numeric_limits<std::uint32_t>::max()));
}

void add_part(UploadView& view, const PartView& part, bool first) {
  const Sample numbers = numbers_of(part.counted);
  Sample& sums = view.sums;
  if (first) {
    sums = numbers;
    return;
  }
  // Different units are not added: the first part's stand, and the whole is not known.
  const bool same_units = part.counted.units == view.progress.units;
  if (same_units) sums.completed = saturating_add(sums.completed, numbers.completed);
  const bool known = same_units && sums.total > 0 && (numbers.total > 0 || part.over);
  sums.total = known ? saturating_add(sums.total, numbers.total) : 0;
  sums.read = add_if_known(sums.read, numbers.read);
  sums.sent = add_if_known(sums.sent, numbers.sent);
  sums.files_done = add_if_known(sums.files_done, numbers.files_done);
  sums.files_total = add_if_known(sums.files_total, numbers.files_total);
  sums.errors = add_counts(sums.errors, numbers.errors);
  sums.warnings = add_counts(sums.warnings, numbers.warnings);
}

template <typename Better>
void take_time(std::optional<WallTime>& kept, const std::optional<WallTime>& other, Better better) {
  if (other && (!kept || better(*other, *kept))) kept = other;
}

void add_stored_as(UploadView& view, const PartView& part) {
  if (!part.counted.terminal || part.counted.terminal->stored_as.empty()) return;
  if (!view.stored_as.empty()) view.stored_as += ',';
  view.stored_as += part.counted.terminal->stored_as;
}

void add_up(UploadView& view) {
  view.progress.units = view.parts.front().counted.units;
  bool first = true;
  for (const auto& part : view.parts) {
    add_part(view, part, first);
    first = false;
    take_time(view.progress.started, part.counted.started, std::less<>());
    take_time(view.progress.updated, part.counted.updated, std::greater<>());
    add_stored_as(view, part);
    if (!part.over && part.counted.rate >= 0)
      view.rate = std::max(view.rate, 0.0) + part.counted.rate;
  }
  view.progress.items_completed = view.sums.completed;
  view.progress.items_to_complete = view.sums.total;
}

int badness(const PartView& part) {
  switch (part.state) {
    case UploadState::failed:
      return 9;
    case UploadState::incomplete:
      return 8;
    case UploadState::canceled:
      return 7;
    case UploadState::lost:
      return 6;
    case UploadState::stalled:
      return 5;
    case UploadState::cancelling:
      return 4;
    case UploadState::running:
      return 3;
    case UploadState::waiting:
      return 2;
    default:
      return part.over ? 0 : 1;
  }
}

const PartView& worst_of(const std::vector<PartView>& parts) {
  return *std::max_element(parts.begin(), parts.end(),
                           [](const auto& a, const auto& b) { return badness(a) < badness(b); });
}

void end_view(UploadView& view, Outcome outcome, std::string err) {
  view.outcome = outcome;
  view.state = state_of(outcome);
  view.progress.completed = true;
  view.progress.err = std::move(err);
  view.rate = -1;
}

Outcome outcome_of(const PartView& part) {
  if (part.state == UploadState::canceled) return Outcome::canceled;
  return part.state == UploadState::incomplete ? Outcome::incomplete : Outcome::failed;
}

std::string missing_reason(std::size_t known, std::uint32_t parts) {
  if (parts == 0) return "the number of parts was not said";
  return std::to_string(known) + " of " + std::to_string(parts) + " parts were reported";
}

void conclude(UploadView& view, std::uint32_t parts) {
  const PartView& worst = worst_of(view.parts);
  view.reason = worst.counted.reason;
  view.since = worst.counted.since;
  view.activity = numbers_of(worst.counted).activity;
  view.progress.description = worst.counted.sample.description;
  const bool all_over = worst.over && worst.state == UploadState::completed;
  if (worst.over && !all_over) {
    const bool name_it = parts > 1 && worst.state == UploadState::failed;
    end_view(view, outcome_of(worst),
             name_it ? "part " + worst.name + ": " + worst.err : worst.err);
  } else if (all_over && parts > 0 && view.parts.size() >= parts) {
    end_view(view, Outcome::durable, "");
  } else if (all_over) {
    view.state = UploadState::waiting;
    view.reason = missing_reason(view.parts.size(), parts);
  } else {
    view.state = worst.state;
  }
  if (view.outcome != Outcome::durable && view.parts.size() < std::max(1U, parts))
    view.progress.items_to_complete = 0;  // a part nobody reported is not known
}

}  // namespace

std::uint32_t parts_needed(std::uint32_t added, std::uint32_t highest_said, bool named_part_seen) {
  if (added > 0) return added;
  if (highest_said > 0) return highest_said;
  return named_part_seen ? 0 : 1;
}

UploadView merge_attempts(std::span<const AttemptView> attempts, std::uint32_t parts) {
  UploadView view;
  view.attempts = static_cast<std::uint32_t>(attempts.size());
  if (attempts.empty()) return view;
  std::map<std::string, Attempts> by_part;
  Attempts all;
  for (const auto& attempt : attempts) {
    by_part[attempt.part].push_back(&attempt);
    all.push_back(&attempt);
  }
  for (const auto& [name, of_part] : by_part)
    view.parts.push_back(part_of(name, of_part));
  const AttemptView& newest = newest_of(all);
  view.attempt = newest.ordinal;
  view.segment = newest.segment;
  view.node = newest.node;
  add_up(view);
  conclude(view, parts);
  return view;
}

}  // namespace plimsoll
