// producer.cpp - opening, and the one-publisher rule by which no last count is ever lost and nobody
// waits.
#include "shim/producer.hpp"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <utility>

#include "schemas/codec.hpp"
#include "schemas/names.hpp"
#include "schemas/segment_layout.hpp"
#include "shim/run_places.hpp"

namespace plimsoll {
namespace {

constexpr auto kAlone =
    std::memory_order_relaxed;  // relaxed: of flags that publish nothing but themselves

std::int64_t unix_ms() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);  // for display only; the coarse one is 5 ns
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

bool is_switched_off() {
  const char* value = secure_getenv("PLIMSOLL_DISABLE");
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

ProducerStatus status_of_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::bad_request:
      return ProducerStatus::invalid;
    case ErrorCode::too_large:
      return ProducerStatus::too_long;
    case ErrorCode::not_found:
      return ProducerStatus::no_directory;
    case ErrorCode::no_space:
      return ProducerStatus::no_space;
    case ErrorCode::permission:
      return ProducerStatus::no_permission;
    default:
      return ProducerStatus::io;
  }
}

std::string line_of(const Error& error) {
  return error.hint.empty() ? error.message : error.message + " (" + error.hint + ")";
}

Result<MappedSegment> create_segment(const ProducerOptions& options) {
  if (auto checked = check_identity(options.identity); !checked) return fail(checked.error());
  std::string directory = options.directory;
  if (directory.empty()) {
    auto found = find_segments_directory(run_candidates());
    if (!found) return fail(found.error());
    directory = std::move(*found);
  }
  return MappedSegment::create(
      {directory, encode(options.identity), options.ring_bytes, options.made_by_run});
}

}  // namespace

Producer::Producer(ProducerOptions options) : options_(std::move(options)) {
  if (options_.ring_bytes == 0) options_.ring_bytes = layout::kDefaultRingBytes;
  counters_.set_total(options_.total < 0 ? 0 : options_.total);
  (void)try_open();
}

Producer::~Producer() {
  const auto held = lock();
  leave(held);
  segment_.reset();  // in a forked child it was forgotten: nothing to unmap, nothing to close
}

ProducerStatus Producer::reopen(bool auto_backup) {
  const auto state =
      state_.load(std::memory_order_acquire);  // acquire: pairs with the child's store
  if (state == ProducerStatus::ok || state == ProducerStatus::forked || ended_.load(kAlone))
    return state;
  options_.identity.auto_backup = auto_backup;
  return try_open();
}

ProducerStatus Producer::try_open() {
  if (is_switched_off())
    return disable(ProducerStatus::disabled, "switched off by PLIMSOLL_DISABLE");
  if (!layout::is_ring_size(options_.ring_bytes))
    return disable(ProducerStatus::invalid, "ring size: not a power of two from 4096 to 524288");
  options_.identity.opened_unix_ms = unix_ms();
  const auto held = lock();
  auto segment = create_segment(options_);
  if (!segment) return disable(status_of_code(segment.error().code), line_of(segment.error()));
  segment_.emplace(std::move(*segment));
  writer_ = SegmentWriter(segment_->bytes());
  enter(held);
  // release: publishes writer_ and segment_; pairs with the acquire in answer().
  state_.store(ProducerStatus::ok, std::memory_order_release);
  return ProducerStatus::ok;
}

ProducerStatus Producer::disable(ProducerStatus why, std::string reason) {
  const std::lock_guard guard(text_mutex_);
  reason_ = std::move(reason);
  // release: nothing but the number itself is published; as strong as its neighbours.
  state_.store(why, std::memory_order_release);
  return why;
}

ProducerStatus Producer::answer() const {
  // acquire: pairs with the release in try_open(); writer_ may be used after `ok`.
  const auto state = state_.load(std::memory_order_acquire);
  if (state == ProducerStatus::forked) return state;
  if (state != ProducerStatus::ok) return ProducerStatus::disabled;
  return ended_.load(kAlone) ? ProducerStatus::ended : ProducerStatus::ok;
}

ProducerStatus Producer::update(std::int64_t completed, std::int64_t total) {
  if (completed < 0) return ProducerStatus::invalid;
  if (const auto said = answer(); said == ProducerStatus::ended) return said;
  if (total >= 0) counters_.set_total(total);
  counters_.set_completed(completed);
  return publish_value();
}

ProducerStatus Producer::add(std::int64_t delta) {
  if (delta < 0) return ProducerStatus::invalid;
  if (const auto said = answer(); said == ProducerStatus::ended) return said;
  counters_.add(delta);
  return publish_value();
}

ProducerStatus Producer::set_counters(const Numbers& numbers) {
  if (const auto said = answer(); said == ProducerStatus::ended) return said;
  counters_.set_all_but_count(numbers);
  return publish_value();
}

ProducerStatus Producer::set_field(int field, std::int64_t value) {
  if (const auto said = answer(); said == ProducerStatus::ended) return said;
  if (!counters_.set_field(field, value)) return ProducerStatus::invalid;
  return publish_value();
}

ProducerStatus Producer::describe(const char* text) {
  if (const auto said = answer(); said != ProducerStatus::ok) return said;
  {
    const std::lock_guard guard(text_mutex_);
    description_.assign(text);
    text_version_.fetch_add(1, kAlone);  // relaxed: the text itself is under the mutex
  }
  return publish_value();
}

ProducerStatus Producer::event(Severity severity, const char* text) {
  if (text == nullptr || severity < Severity::info || severity > Severity::error)
    return ProducerStatus::invalid;
  if (const auto said = answer(); said != ProducerStatus::ok) return said;
  BoundedText<kMaxEventTextBytes> bounded;
  bounded.assign(text);
  {
    const std::lock_guard guard(event_mutex_);
    (void)writer_.write_event(
        event_.build(severity, bounded.view(), unix_ms()));  // bounded: it fits
  }
  publish();
  return ProducerStatus::ok;
}

ProducerStatus Producer::beat() {
  const auto said = answer();
  if (said == ProducerStatus::ok) publish();
  return said;
}

bool Producer::cancel_requested() {
  const auto said = answer();
  if (said == ProducerStatus::ok) publish();
  return (said == ProducerStatus::ok || said == ProducerStatus::ended) &&
         writer_.cancel_requested();
}

// A disabled handle keeps the numbers too: reopen() reports them.
ProducerStatus Producer::publish_value() {
  value_wanted_.store(true, kAlone);  // relaxed: ordered by the publisher flag, as the counters are
  const auto said = answer();
  if (said == ProducerStatus::ok) publish();
  return said;
}

// One thread at a time publishes. Who finds the flag taken leaves at once; the holder looks again
// after it let go, and goes round if anything moved. Nothing is lost: the exchange that failed
// comes before the holder's exchange in the flag's order, so what was stored before the one is seen
// after the other.
void Producer::publish() {
  while (true) {
    // acq_rel: acquire pairs with the last holder's release (the writer's state), release with the
    // holder's next exchange (our counters).
    if (publishing_.exchange(true, std::memory_order_acq_rel)) return;
    const Written written = write_newest();
    // acq_rel: release pairs with the next holder's acquire, acquire with the losers' release
    // above.
    publishing_.exchange(false, std::memory_order_acq_rel);
    if (!has_moved(written)) return;
  }
}

Producer::Written Producer::write_newest() {
  const bool as_value = value_wanted_.load(kAlone);
  if (!as_value) {
    writer_.beat();
    return {{}, 0, false};
  }
  rebuild_text();
  const Numbers numbers = counters_.load();
  if (last_written_ == numbers) {
    writer_.beat();
  } else {
    writer_.write_value(sample_.with(numbers));
    last_written_ = numbers;
  }
  return {numbers, built_text_version_, true};
}

void Producer::rebuild_text() {
  if (text_version_.load(kAlone) == built_text_version_) return;
  const std::unique_lock guard(text_mutex_, std::try_to_lock);
  if (!guard.owns_lock()) return;  // its holder publishes when it is done
  sample_.describe(description_.view());
  built_text_version_ = text_version_.load(kAlone);
  last_written_.reset();
}

bool Producer::has_moved(const Written& written) {
  if (value_wanted_.load(kAlone) != written.as_value) return true;
  if (!written.as_value) return false;
  if (counters_.load() != written.numbers) return true;
  if (text_version_.load(kAlone) == written.text_version) return false;
  // Still locked: that thread has yet to publish, and will. Free: it may have left, so the text is
  // ours to write.
  return std::unique_lock(text_mutex_, std::try_to_lock).owns_lock();
}

ProducerStatus Producer::complete(const char* stored_as) {
  BoundedText<kMaxStoredAsBytes> place;
  place.assign(stored_as);
  return end({Outcome::durable, false, {}, place.view(), 0});
}

ProducerStatus Producer::fail_upload(const char* err, bool will_retry) {
  BoundedText<kMaxErrBytes> text;
  text.assign(err);
  if (text.view().empty()) text.append("failed");
  return end({Outcome::failed, will_retry, text.view(), {}, 0});
}

ProducerStatus Producer::incomplete(const char* err, const char* stored_as) {
  BoundedText<kMaxErrBytes> text;
  text.assign_after("incomplete", err);
  BoundedText<kMaxStoredAsBytes> place;
  place.assign(stored_as);
  return end({Outcome::incomplete, false, text.view(), place.view(), 0});
}

ProducerStatus Producer::canceled(const char* err) {
  BoundedText<kMaxErrBytes> text;
  text.assign_after("canceled", err);
  return end({Outcome::canceled, false, text.view(), {}, 0});
}

ProducerStatus Producer::end(EndOfUpload end) {
  if (const auto said = answer(); said != ProducerStatus::ok) return said;
  // acq_rel: one thread turns it, and only that one touches terminal_ and the writer's terminal
  // half.
  if (ended_.exchange(true, std::memory_order_acq_rel)) return ProducerStatus::ended;
  publish();
  end.at_unix_ms = unix_ms();
  writer_.write_terminal(terminal_.build(end, counters_.load()));
  publish();
  segment_->ring_bell();
  return ProducerStatus::ok;
}

ProducerStatus Producer::status_of(char* text, std::size_t size_bytes) const {
  const bool wanted = text != nullptr && size_bytes > 0;
  const auto state = state_.load(std::memory_order_acquire);  // acquire: as in answer()
  if (state ==
      ProducerStatus::forked) {  // the parent's mutex may be held by a thread that is not here
    if (wanted) std::snprintf(text, size_bytes, "disabled: this process was forked; open its own");
    return state;
  }
  const bool over = ended_.load(kAlone);
  const std::lock_guard guard(text_mutex_);
  if (wanted && state == ProducerStatus::ok)
    std::snprintf(text, size_bytes, over ? "ended: %s" : "reporting to %s",
                  segment_->path().c_str());
  if (wanted && state != ProducerStatus::ok)
    std::snprintf(text, size_bytes, "disabled: %s", reason_.c_str());
  return state == ProducerStatus::ok && over ? ProducerStatus::ended : state;
}

std::optional<SegmentId> Producer::segment_id() const {
  const auto said = answer();
  if (said != ProducerStatus::ok && said != ProducerStatus::ended) return std::nullopt;
  return segment_->id();
}

void Producer::after_fork_in_child() noexcept {
  // release: first of all, so that no call of the child touches what is let go below.
  state_.store(ProducerStatus::forked, std::memory_order_release);
  if (segment_) segment_->forget_after_fork();
}

}  // namespace plimsoll
